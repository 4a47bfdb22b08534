"""The scripted agent of the newcomers: it does each story in one file, and answers with the keys it is asked for."""

import json
import os
import re
import sys
from pathlib import Path

WORKING = {"coding", "sizing", "implement", "fix", "work", "coder"}
STORIES = [
    {"id": "US-001", "title": "Store it", "acceptanceCriteria": ["it is stored", "Typecheck passes"]},
    {"id": "US-002", "title": "Show it", "acceptanceCriteria": ["it is shown", "Typecheck passes"]},
]
VALUES = {
    "STATUS": "done",
    "DECISION": "approved",
    "STORIES_JSON": json.dumps(STORIES),
    "SIZE": "small",
    "VERDICT": "done",
}
UNANSWERED = {"SUMMARY", "ISSUES", "QUESTION", "STORY_BLOCKED", "STORY_COMPLETE", "BLOCKED", "TASK"}
EDITS = [
    {
        "operation": "add_after",
        "target_step_id": "step-002",
        "reason": "it needs a migration",
        "new_steps": [{"type": "coding", "description": "Write the migration"}],
    },
    {"operation": "skip", "target_step_id": "step-009", "reason": "there are no tests to prune"},
]
"""As agents of Dynamic Ralph write them."""


def answer(prompt: str, name: str, story: str) -> str:
    """All keys that the prompt has at the start of a line, and a summary."""
    asked = {"STATUS": None} | dict.fromkeys(re.findall(r"^[ \t]*([A-Z][A-Z_]{2,}):", prompt, re.MULTILINE))
    lines = [f"{key}: {VALUES.get(key, f'the {key.lower()} of {name}')}" for key in asked if key not in UNANSWERED]
    return "\n".join((*lines, "SUMMARY:", f"did {name} of {story}", ""))


def main(environ: dict[str, str]) -> None:
    prompt = sys.stdin.read()
    story, name = environ["SHIFTWORK_STORY"], environ["SHIFTWORK_STEP_NAME"]
    if environ["SHIFTWORK_STEP_TYPE"] in WORKING or name in WORKING:
        seen = sorted(path.name for path in Path().glob("*.txt"))
        Path(f"{story}.txt").write_text("".join(f"{other}\n" for other in seen), encoding="utf-8")
    if environ["SHIFTWORK_STEP_TYPE"] == "planning" and "workflow_edits.json" in prompt:
        Path(environ["SHIFTWORK_OUTPUTS"], "workflow_edits.json").write_text(json.dumps(EDITS), encoding="utf-8")
    sys.stdout.write(answer(prompt, name, story))


if __name__ == "__main__":
    main(dict(os.environ))  # noqa: TID251 - a program of its own
