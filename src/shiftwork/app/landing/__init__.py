"""Checks, proves and lands candidates."""
