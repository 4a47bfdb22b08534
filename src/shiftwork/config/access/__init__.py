"""Who may use the HTTP API: tokens and their roles."""
