"""The landing queue: its state, facts, decisions and effects."""
