"""Processes as this machine's kernel shows them."""
