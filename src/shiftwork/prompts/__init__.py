"""Builds the prompts of agents and parses their answers (`answer`). Pure."""
