"""prd.json in its dialects."""
