"""Candidates checked, proved and landed."""
