"""Engines for durable jobs: DBOS for real work, and an in-memory equivalent for tests."""
