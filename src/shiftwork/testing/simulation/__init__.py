"""Runs decisions against simulated surroundings, without I/O."""
