"""`write_note`: what an agent notes with the tool lies in its outbox under the scope that it named."""

import asyncio
import json
from pathlib import Path

import pytest

from shiftwork.adapters.desks import FolderDesks
from shiftwork.domain.model.codec import to_plain
from shiftwork.domain.model.memory import Remark, Scope
from shiftwork.domain.model.pipeline import Pipeline
from shiftwork.entrypoints.mcp.toolbox import NOTE_LIMIT, Toolbox
from shiftwork.ports.desk import Desk, DeskName
from shiftwork.testing.builders import asked


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = asyncio.run(FolderDesks(tmp_path).lay(DeskName(run="r", story="US-001", step="step-001", attempt=1)))
    task = {"step": "step-001", "story": to_plain(asked()), "requirements": [], "pipeline": to_plain(Pipeline())}
    (desk.folder / "task.json").write_text(json.dumps(task))
    return desk


def left(desk: Desk, tmp_path: Path) -> tuple[Remark, ...]:
    return asyncio.run(FolderDesks(tmp_path).collect(desk)).notes


def test_a_note_has_the_scope_it_was_given(desk: Desk, tmp_path: Path) -> None:
    tools = Toolbox(desk.folder)
    assert tools.write_note("for ever", "pattern") == "noted"
    assert tools.write_note("for me") == "noted"
    assert tools.write_note("for all", scope="project") == "noted"
    assert left(desk, tmp_path) == (
        Remark(text="for me"),
        Remark(text="for all", scope=Scope.PROJECT),
        Remark(text="for ever", scope=Scope.PATTERN),
    )


def test_what_cannot_be_noted_is_refused_with_the_reason(desk: Desk, tmp_path: Path) -> None:
    tools = Toolbox(desk.folder)
    assert tools.write_note(" \n") == "REJECTED: the note is empty"
    assert tools.write_note("x", "world") == "REJECTED: there is no scope 'world'; known are story, project, pattern"
    assert left(desk, tmp_path) == ()


def test_a_note_that_is_too_long_is_shortened_and_says_so(desk: Desk, tmp_path: Path) -> None:
    assert "at most 8,000 bytes" in Toolbox(desk.folder).write_note("a" * 9_000 + "z")
    (note,) = left(desk, tmp_path)
    assert len(note.text) <= NOTE_LIMIT
    assert "left out here" in note.text
    assert note.text.endswith("z")
