"""Which sandbox agents, gates and the setup command get."""
