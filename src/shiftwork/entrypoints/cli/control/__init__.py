"""What users request of a started run: which run, requests and answers."""
