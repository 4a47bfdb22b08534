"""The quick reader of the views, without SQLAlchemy."""
