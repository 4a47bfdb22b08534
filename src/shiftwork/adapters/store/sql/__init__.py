"""The SQL database: address, dialect, schema, tables."""
