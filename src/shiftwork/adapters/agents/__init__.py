"""Coding agents behind one port: one file or folder for each, and what they share."""
