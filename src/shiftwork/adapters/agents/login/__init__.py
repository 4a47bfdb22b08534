"""The user's login as a confined session gets it."""
