"""How workflows are drawn and written."""
