"""The documents that `--json` and the HTTP API give: one record for each kind, with one vocabulary; see `catalogue`."""
