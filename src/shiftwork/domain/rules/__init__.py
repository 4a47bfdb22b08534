"""What follows from the model: how facts change state, what to do next, which edits are allowed."""
