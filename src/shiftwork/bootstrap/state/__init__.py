"""For commands that only read state, or adopt it."""
