"""Engines for jobs: in the process itself for one machine, DBOS on Postgres for several processes."""
