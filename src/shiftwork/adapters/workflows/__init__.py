"""Workflow files: `workflow_fields` lists their fields, `loading` reads a file, `lookup` finds files."""
