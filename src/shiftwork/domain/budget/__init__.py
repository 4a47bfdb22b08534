"""Money and tokens: limits, reservations, amounts."""
