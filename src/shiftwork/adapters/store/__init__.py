"""The history, inboxes, leases and views, in a SQL database or in memory.

Nothing is imported here: `status` loads only `reader` and must not load SQLAlchemy.
"""
