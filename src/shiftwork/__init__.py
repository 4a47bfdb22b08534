"""Shiftwork hands whole features to coding agents and lands only what it has proved itself."""
