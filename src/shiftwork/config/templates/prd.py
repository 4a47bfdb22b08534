"""The spec template that `shiftwork init --prd` writes.

JSON has no comments, so comments are keys named `_comment`. Rejected: JSON with comments, or a plan in Markdown. The
result is a plain prd.json, which every other tool that supports the format can read as well.
"""

import json
from typing import Any, Final

PRD_FILE: Final = "prd.json"


def prd_file(project: str) -> str:
    """The text of a spec with two stories to replace; it is valid as it is."""
    return json.dumps(_template(project), indent=2, ensure_ascii=False) + "\n"


def _template(project: str) -> dict[str, Any]:
    return {
        "_comment": [
            "The work, story by story. Replace the stories below, then: shiftwork run prd.json",
            "Keys that shiftwork does not know, such as _comment, are for you: they are ignored and left as they are.",
        ],
        "project": project,
        "_comment_branchName": [
            "The branch to land on. If it does not exist, it is created from your current branch.",
            "Empty: your current branch.",
        ],
        "branchName": "",
        "description": "What this is about, in a few sentences.",
        "_comment_quality_checks": [
            'Commands that must pass for every story, beside the gates of shiftwork.toml: {"test": "npm test"}.',
        ],
        "quality_checks": {},
        "userStories": [_first(), _second()],
    }


def _first() -> dict[str, Any]:
    return {
        "_comment": [
            "id: short and unique. title: becomes the subject of the commit.",
            "acceptanceCriteria: what must be true in the end; write it so that a test or a code review can check it.",
            "priority: smaller numbers come first, among stories that hold up the same amount of other work.",
            "passes, notes: written by shiftwork when the story has landed. A story that passes is not worked on.",
        ],
        "id": "US-001",
        "title": "Show the version",
        "description": "As a user I want to see which version I have, so that I can report problems.",
        "acceptanceCriteria": ["`--version` prints the version and exits with 0", "A test checks that"],
        "priority": 1,
        "passes": False,
        "notes": "",
    }


def _second() -> dict[str, Any]:
    return {
        "_comment": [
            "dependsOn: starts when these have landed. Stories that do not depend on each other are done in parallel.",
            "If no story says dependsOn, they are done one after the other, by priority and then in this order.",
            "Optional: complexity (1 to 5), touches (paths it will change: such stories are kept apart).",
            "verification_steps: what must hold on the commit that would land, for this story alone. Each is one of",
            '{"type": "shell", "command": "make smoke"}, {"type": "file_exists", "path": "README.md"},',
            '{"type": "url", "url": "http://localhost:8000", "expect_status": 200}.',
        ],
        "id": "US-002",
        "title": "Describe --version in the README",
        "description": "",
        "acceptanceCriteria": ["The README shows the option and what it prints"],
        "priority": 2,
        "dependsOn": ["US-001"],
        "verification_steps": [],
        "passes": False,
        "notes": "",
    }
