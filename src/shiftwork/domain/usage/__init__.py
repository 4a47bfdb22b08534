"""What attempts have used, and what others may use."""
