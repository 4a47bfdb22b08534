"""One file for each change of the schema, frozen once released."""
