"""Settings in, ports out: the only importer of adapters."""
