"""Gates and setup of Node projects."""
