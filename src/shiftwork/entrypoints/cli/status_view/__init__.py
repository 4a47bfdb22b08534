"""The parts of what `shiftwork status` prints."""
