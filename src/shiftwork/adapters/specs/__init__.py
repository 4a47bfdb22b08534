"""Readers of spec files: one module for each format, and what they share."""
