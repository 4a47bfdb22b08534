"""Measurements: each prints what it measured and, alone on the last line, a ratio to a baseline of the same run."""
