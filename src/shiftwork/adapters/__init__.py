"""The implementations of the ports: one adapter per file, chosen by literal registries in `bootstrap`."""
