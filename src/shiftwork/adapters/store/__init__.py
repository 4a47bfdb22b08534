"""The history, its views, inboxes and leases: on SQLite, on Postgres, and in memory.

Nothing is imported here: `status` loads `reader` alone and must not pay for SQLAlchemy.
"""
