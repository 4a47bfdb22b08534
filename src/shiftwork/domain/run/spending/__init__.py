"""What a run may spend, what its stories claim of it, and what is to be expected."""
