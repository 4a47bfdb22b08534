"""How results are written: phrases, tables, JSON, files."""
