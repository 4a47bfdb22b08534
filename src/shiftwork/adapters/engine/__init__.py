"""Where durable jobs run: DBOS for real work, an in-memory twin for tests of what stands on it."""
