"""The application: start at `loop`, then `perform`; everything else here is what those two call."""
