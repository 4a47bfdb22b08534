"""Working trees: creating, filling, setting up and restoring them."""
