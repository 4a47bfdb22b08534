"""What people are notified of, and how often a channel is tried."""
