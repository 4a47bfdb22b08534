"""What a terminal shows while a run is in progress."""
