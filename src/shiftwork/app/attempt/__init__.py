"""One attempt of an agent at one step, from the attempt folder to the outcome."""
