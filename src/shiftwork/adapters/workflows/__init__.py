"""Workflow files: `workflow_fields` says what may stand in one, `loading` reads one, `lookup` knows where they are."""
