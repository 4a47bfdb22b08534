"""What all parts of the domain share: ids, facts, effects, decisions, values as JSON."""
