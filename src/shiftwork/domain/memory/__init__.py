"""Notes that stories keep and share."""
