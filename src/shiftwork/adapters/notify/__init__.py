"""Channels to people who do not watch."""
