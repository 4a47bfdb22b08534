"""One program from its start to its end, within bounds."""
