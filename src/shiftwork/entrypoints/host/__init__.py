"""The server of a repository, as a process: what it starts, and how it ends."""
