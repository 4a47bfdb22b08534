"""Finds the gates and the setup command of a project by its files; one module for each family of projects.

Nothing is executed: files are read, folders are listed, and programs are looked up on the PATH. A file that cannot be
read counts as none, because a wrong guess must never keep anybody from working.
"""
