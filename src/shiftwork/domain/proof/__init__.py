"""What counts as proof: evidence, verdicts, certificates."""
