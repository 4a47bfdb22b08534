"""One attempt of an agent at one step, from its folder to its outcome."""
