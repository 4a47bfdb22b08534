"""The server as commands see it: it is started, asked, and stopped."""
