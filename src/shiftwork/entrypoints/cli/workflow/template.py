"""The file that `shiftwork workflow new` writes: commented, and valid as it is."""

from typing import Final

_FILE: Final = """\
# yaml-language-server: $schema={schema}
#
# How stories are worked on. Try it: shiftwork workflow validate {id}
#                            then: shiftwork run --workflow {id} "what you want done"
# Every field: shiftwork workflow schema

id: {id}
name: {name}
version: 1
description: |
  What this workflow is for.

agents:
  - id: developer
    role: coding # analysis, coding, verification, testing, pr or scanning
  - id: reviewer
    role: verification

steps:
  # Every story goes through a step of type loop; steps before and after it belong to the run as a whole.
  - id: stories
    type: loop
    body:
      - id: implement
        agent: developer
        timeout: 30 # minutes for one attempt
        max_retries: 2 # how often it may be done again, for whatever reason
        # {{{{names}}}} are filled in: {{{{task}}}}, {{{{current_story}}}}, and what other steps answer as KEY: value.
        input: |
          Implement this story, with tests:

          {{{{current_story}}}}

          What the review found last time, if anything:
          {{{{issues}}}}

          Reply with:
          STATUS: done
          CHANGES: what you changed
        output_keys: [changes]

      # Commands that Shiftwork runs itself; what a repository brings is run only after you have trusted it:
      #   shiftwork trust {id}
      # - id: smoke
      #   kind: gate
      #   run: make smoke

      - id: review
        agent: reviewer
        input: |
          Review the change for this story:

          {{{{current_story}}}}

          CHANGES: {{{{changes}}}}

          Reply with:
          DECISION: approved or needs_fixes
          ISSUES: what must be fixed, if anything
        output_keys: [decision, issues]
        decision_key: DECISION
        on_decision:
          approved: continue
          needs_fixes: {{ retry_step: implement, clear: [changes] }}
        on_exhausted: {{ escalate_to: human }} # when implement has no retries left
"""


def workflow_file(name: str, schema: str) -> str:
    """The text of a new file; `schema` is the path of the JSON Schema, relative to it."""
    return _FILE.format(id=name, name=name.replace("-", " ").capitalize(), schema=schema)
