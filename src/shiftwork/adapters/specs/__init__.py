"""Spec files that users already have: one file a format, and `opening` that tells the formats apart."""
