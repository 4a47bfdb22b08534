"""The documents of single commands."""
