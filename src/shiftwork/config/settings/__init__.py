"""The settings: the allowed keys, and the errors in a file."""
