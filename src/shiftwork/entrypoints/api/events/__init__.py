"""The events of a project, sent to any number of clients."""
