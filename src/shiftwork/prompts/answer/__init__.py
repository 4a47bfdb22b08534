"""Parses the answers of agents."""
