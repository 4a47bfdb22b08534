"""One file a change of the schema, each frozen once released."""
