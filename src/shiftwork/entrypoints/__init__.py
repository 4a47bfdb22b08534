"""Front ends: they turn what is typed, or called, into calls of the application, and its answers into text."""
