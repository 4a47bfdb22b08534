"""What people ask of a story while it is in progress."""
