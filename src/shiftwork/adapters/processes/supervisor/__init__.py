"""Runs one program from its start to its end, within limits."""
