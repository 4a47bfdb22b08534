"""What a run may spend, what its stories claim, and the cost forecast."""
