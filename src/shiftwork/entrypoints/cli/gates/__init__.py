"""Gates before work begins: the base, the sandbox, the user's checkout."""
