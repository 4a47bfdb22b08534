"""Checks and previews plans and workflows before a run spends anything. Pure, like the domain."""
