"""What an agent is given to read, and how its answer is understood (`answer`). Pure."""
