"""The server of a repository on this machine: its file, its log, and the processes that it starts."""
