"""Workflow files: `fields` says what may stand in one, `loading` reads one, `finding` knows where they are."""
