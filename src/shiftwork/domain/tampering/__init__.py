"""What a change does to the tests and the configuration that judge it."""
