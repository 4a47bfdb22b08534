"""Channels that send notices to users."""
