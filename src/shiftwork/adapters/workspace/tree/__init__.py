"""Working trees: made, filled, set up, undone."""
