"""Programs that are started: supervised, bounded, and ended with all that they started."""
