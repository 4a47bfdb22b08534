"""Git as run by the harness and by the user, and readers of its output."""
