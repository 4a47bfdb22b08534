"""What users ask of a run that has begun: which run is meant, orders, answers."""
