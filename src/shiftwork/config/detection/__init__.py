"""Detects the gates and the setup command of a project from its files; each ecosystem has a module.

Nothing is executed: detection reads files, lists folders, and looks up programs on the PATH. An unreadable file counts
as missing, because a wrong guess must never block the user.
"""
