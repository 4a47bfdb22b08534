"""Shiftwork hands whole features to coding agents and lands only work that it has verified itself."""
