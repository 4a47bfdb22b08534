"""Files that `init` writes for the user."""
