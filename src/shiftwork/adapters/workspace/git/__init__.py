"""Git as the harness and as the user run it, and what is read from it."""
