"""What agents need by their own settings: hosts, logins of clouds."""
