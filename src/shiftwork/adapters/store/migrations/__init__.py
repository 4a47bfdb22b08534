"""The schema's history; shipped with the package and applied when a store is opened."""
