"""Workspaces, gates and landing on git."""
