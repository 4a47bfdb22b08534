"""One module a command, each holding `command`."""
