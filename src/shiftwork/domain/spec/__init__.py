"""Specs, their stories and the graph of dependencies."""
