"""The interfaces that the application needs, as small protocols whose docstrings are the contracts."""
