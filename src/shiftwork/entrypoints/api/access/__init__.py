"""Who may call the API: what every request must pass before a route sees it."""
