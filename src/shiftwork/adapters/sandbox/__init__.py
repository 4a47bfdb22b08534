"""Sandboxes for the programs of agents and gates, shared by both, which do not import each other."""
