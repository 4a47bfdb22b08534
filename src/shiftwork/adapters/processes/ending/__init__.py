"""Ends processes until none is left."""
