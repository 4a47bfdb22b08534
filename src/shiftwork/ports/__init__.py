"""What the application needs from the world, as small protocols whose docstrings are the contracts."""
