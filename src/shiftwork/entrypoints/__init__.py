"""Front ends: they turn commands and calls into calls of the application, and its answers into text."""
