"""What of a repository the user has agreed to."""
