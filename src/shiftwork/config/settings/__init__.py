"""The settings: what may stand in them, and what is wrong with a file."""
