"""Benchmarks: each prints its measurements and, alone on the last line, a ratio to a baseline of the same run."""
