"""Runs gates on exactly one commit, in trees that no agent sees."""
