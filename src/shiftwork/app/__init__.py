"""The application: start at `loop`, then `perform`. What they call is in folders by subject."""
