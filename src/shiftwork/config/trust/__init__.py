"""What the user has agreed to in a repository."""
