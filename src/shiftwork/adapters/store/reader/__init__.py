"""The fast reader of the views, without SQLAlchemy."""
