"""What people say about a patch, line by line."""
