"""How logs of attempts and gates are found and shown."""
