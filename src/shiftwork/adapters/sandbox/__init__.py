"""Walls around the programs of agents and gates: shared by both, which do not know each other."""
