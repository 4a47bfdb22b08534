"""Decisions played against simulated surroundings, without I/O."""
