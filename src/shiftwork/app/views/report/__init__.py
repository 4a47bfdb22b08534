"""A run as a document: its record, and how it is written down."""
