"""Draws and writes workflows."""
