"""From a command line to a run, and from its end to a summary."""
