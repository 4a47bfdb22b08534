"""How a story is processed: workflows, steps, edits of a pipeline and their guardrails."""
