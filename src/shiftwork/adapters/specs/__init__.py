"""Files that say what is to be done: one module for each format, and what they share."""
