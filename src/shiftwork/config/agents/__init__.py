"""What agents need according to their own settings: hosts and cloud logins."""
