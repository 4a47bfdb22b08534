"""Builds ports from settings; the only package that imports adapters."""
