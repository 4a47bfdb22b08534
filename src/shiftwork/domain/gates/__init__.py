"""Gates are commands whose exit code decides: what they need, and what their output says."""
