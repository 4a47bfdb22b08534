"""Hosts that a sandboxed program may call."""
