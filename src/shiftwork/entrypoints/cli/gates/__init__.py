"""Gates before work starts: on the base, in the sandbox, in the user's checkout."""
