"""What every command finds out first: repository, settings, trust, signals."""
