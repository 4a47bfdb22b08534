"""Starts a private Postgres server, prints its address, and removes it when standard input closes or on Ctrl-C."""

from shiftwork.testing.postgres_cluster import main

if __name__ == "__main__":
    main()
