"""Gates and setup of Python projects."""
