"""Chooses the sandbox for agents, gates and the setup command."""
