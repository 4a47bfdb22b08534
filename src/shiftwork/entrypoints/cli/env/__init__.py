"""What every command checks first: repository, settings, trust, signals."""
