"""The application: start at `loop`, then `perform`. The code they call is in folders by subject."""
