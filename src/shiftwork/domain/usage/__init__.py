"""What attempts have used, and estimates of what a run may use."""
