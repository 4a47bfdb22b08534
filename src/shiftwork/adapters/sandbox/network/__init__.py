"""The network of a sandboxed program: its proxy and forwarded ports."""
