"""Messages between runs, stories and the landing queue, and to people."""
