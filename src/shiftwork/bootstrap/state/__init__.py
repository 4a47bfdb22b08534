"""What commands need that only read or take over state."""
