"""The world behind the ports: one adapter a file, chosen by literal registries in `bootstrap`."""
