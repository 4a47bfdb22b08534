"""What all slices stand on: ids, facts, effects, decisions, values as JSON."""
