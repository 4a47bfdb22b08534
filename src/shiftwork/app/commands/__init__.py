"""Commands of the front ends: each of them changes something."""
