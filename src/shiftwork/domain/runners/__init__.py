"""Test runners: one file for each, with what its output reports, and what its options and its settings do."""
