"""The history, its views, inboxes and leases: on SQLite, on Postgres, and in memory.

Nothing is imported here: `status` loads `reader` alone and must not pay for SQLAlchemy.

The ports:
    opening                     the four of them over one database
    events, inbox, leases       in SQL
    queries                     the views, whichever driver runs them
    memory                      all of them without a database

What they stand on:
    addresses                   what keeps a text from being the address of a database
    engine, dialects, prepared  a database behind an async face; what tells two kinds apart; statements made once
    bell                        wakes who waits for a message
    tables, views               the tables as SQLAlchemy sees them; where each row of a view is kept
    schema, migrating           the schema brought up to date; by alembic, where it is an old one

The views, for commands that only look:
    reader, reader_postgres     without SQLAlchemy and without an event loop
    closed                      a SQLite file in a folder that cannot be written to
"""
