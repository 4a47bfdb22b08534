"""What an agent is doing, in words."""

import pytest

from shiftwork.app.views.live.activity import activity
from shiftwork.ports.agent import AgentEvent, EventKind


@pytest.mark.parametrize(
    ("tool", "text", "words"),
    [
        ("Edit", '{"file_path": "/tree/src/mailer.py", "old_string": "a"}', "editing mailer.py"),
        ("Read", '{"path": "docs/"}', "reading docs/"),
        ("Bash", '{"command": "pytest -q"}', "running pytest -q"),
        ("command_execution", "pytest -q", "running pytest -q"),
        ("file_change", "update src/a.py", "editing update src/a.py"),
        ("edit_workflow", "edits.json", "changing its steps"),
        ("Grep", '{"pattern": "def main"}', "searching for def main"),
        ("mcp__files__list", '{"folder": "x"}', 'mcp__files__list {"folder": "x"}'),
        ("Bash", "{not json", "running {not json"),
        ("TodoWrite", "", "TodoWrite"),
        ("", "I will look at the tests first.", "I will look at the tests first."),
    ],
)
def test_words(tool: str, text: str, words: str) -> None:
    assert activity(AgentEvent(kind=EventKind.TOOL_START, tool=tool, text=text)) == words
