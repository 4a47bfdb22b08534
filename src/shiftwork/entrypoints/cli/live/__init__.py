"""What a terminal shows while work is in progress."""
