"""Documents that only the HTTP API has: what a web page shows besides what commands print."""
