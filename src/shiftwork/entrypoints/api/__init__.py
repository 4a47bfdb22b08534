"""The HTTP API of a project, for programs and for the web board."""
