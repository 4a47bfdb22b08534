"""What is to be done: specs, their stories, the graph of dependencies."""
