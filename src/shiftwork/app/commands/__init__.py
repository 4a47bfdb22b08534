"""What front ends ask for: each command changes something."""
