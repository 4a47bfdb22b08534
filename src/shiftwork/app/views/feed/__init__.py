"""Facts as they are recorded, as events for programs that follow a project."""
