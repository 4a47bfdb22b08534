"""The history, inboxes, leases and views, in a SQL database or in memory.

Nothing is imported here: `status` loads `reader` alone and must not pay for SQLAlchemy.
"""
