"""How a story is worked on: workflows, steps, edits of a pipeline and their guardrails."""
