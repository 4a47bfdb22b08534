"""Builds the server of a repository, starts it, and finds the one that lives."""
