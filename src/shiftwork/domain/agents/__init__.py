"""Which profile works on what, and how agents behave: rate limits, repetition, idleness."""
