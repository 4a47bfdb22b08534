"""What a story may use, what it has used, and how long it took."""
