"""One story from its start to its end: its state, facts, decisions and effects."""
