"""One run of many stories: its state, facts, decisions and effects."""
