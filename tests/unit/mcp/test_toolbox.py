"""Notes and questions that an agent sends with its tools, or writes itself, are in its output folder afterwards."""

import asyncio
import json
from pathlib import Path

import pytest

from shiftwork.adapters.attempt_folders import LocalAttemptFolders
from shiftwork.domain.core.plain import to_plain
from shiftwork.domain.memory.notes import Remark, Scope
from shiftwork.domain.workflow.pipeline import Pipeline
from shiftwork.entrypoints.mcp.toolbox import NOTE_LIMIT, QUESTION_LIMIT, Toolbox
from shiftwork.ports.attempt_folder import AttemptFolder, AttemptName, Question
from shiftwork.testing.builders import asked


@pytest.fixture
def attempt_folder(tmp_path: Path) -> AttemptFolder:
    attempt_folder = asyncio.run(
        LocalAttemptFolders(tmp_path).lay(AttemptName(run="r", story="US-001", step="step-001", attempt=1))
    )
    task = {"step": "step-001", "story": to_plain(asked()), "requirements": [], "pipeline": to_plain(Pipeline())}
    (attempt_folder.folder / "task.json").write_text(json.dumps(task))
    return attempt_folder


def notes(attempt_folder: AttemptFolder, tmp_path: Path) -> tuple[Remark, ...]:
    return asyncio.run(LocalAttemptFolders(tmp_path).collect(attempt_folder)).notes


def questions(attempt_folder: AttemptFolder, tmp_path: Path) -> tuple[Question, ...]:
    return asyncio.run(LocalAttemptFolders(tmp_path).collect(attempt_folder)).questions


# `write_note` ---------------------------------------------------------------------------------------------------------


def test_a_note_has_the_scope_it_was_given(attempt_folder: AttemptFolder, tmp_path: Path) -> None:
    tools = Toolbox(attempt_folder.folder)
    assert tools.write_note("for ever", "pattern") == "noted"
    assert tools.write_note("for me") == "noted"
    assert tools.write_note("for all", scope="project") == "noted"
    assert notes(attempt_folder, tmp_path) == (
        Remark(text="for me"),
        Remark(text="for all", scope=Scope.PROJECT),
        Remark(text="for ever", scope=Scope.PATTERN),
    )


def test_what_cannot_be_noted_is_refused_with_the_reason(attempt_folder: AttemptFolder, tmp_path: Path) -> None:
    tools = Toolbox(attempt_folder.folder)
    assert tools.write_note(" \n") == "REJECTED: the note is empty"
    assert tools.write_note("x", "world") == "REJECTED: there is no scope 'world'; known are story, project, pattern"
    assert notes(attempt_folder, tmp_path) == ()


def test_a_note_that_is_too_long_is_shortened_and_says_so(attempt_folder: AttemptFolder, tmp_path: Path) -> None:
    assert "at most 8,000 bytes" in Toolbox(attempt_folder.folder).write_note("a" * 9_000 + "z")
    (note,) = notes(attempt_folder, tmp_path)
    assert len(note.text) <= NOTE_LIMIT
    assert "left out here" in note.text
    assert note.text.endswith("z")


# `ask` ----------------------------------------------------------------------------------------------------------------


def test_a_question_lies_in_the_outputs_with_its_options(attempt_folder: AttemptFolder, tmp_path: Path) -> None:
    tools = Toolbox(attempt_folder.folder)
    assert "end your session now" in tools.ask("Tabs or blanks?", ["tabs", " ", "blanks"])
    assert "end your session now" in tools.ask("Why?")
    assert questions(attempt_folder, tmp_path) == (
        Question(text="Tabs or blanks?", options=("tabs", "blanks")),
        Question(text="Why?"),
    )


def test_an_empty_question_is_refused(attempt_folder: AttemptFolder, tmp_path: Path) -> None:
    assert Toolbox(attempt_folder.folder).ask(" \n") == "REJECTED: the question is empty"
    assert questions(attempt_folder, tmp_path) == ()


def test_a_long_question_is_shortened(attempt_folder: AttemptFolder, tmp_path: Path) -> None:
    Toolbox(attempt_folder.folder).ask("why " * QUESTION_LIMIT)
    (question,) = questions(attempt_folder, tmp_path)
    assert len(question.text) <= QUESTION_LIMIT


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("Which port?\n", (Question(text="Which port?"),)),
        ('"Which port?"', (Question(text="Which port?"),)),
        ('{"question": "Which?", "options": ["a", 2]}', (Question(text="Which?", options=("a",)),)),
        ('{"question": "Which?"}', (Question(text="Which?"),)),
        ('{"question": "Which?", "options": "a"}', ()),
        ('{"question": 7}', ()),
        ("[1]", ()),
        (" \n", ()),
    ],
)
def test_what_an_agent_writes_itself_is_read_as_far_as_it_makes_sense(
    attempt_folder: AttemptFolder, tmp_path: Path, written: str, found: tuple[Question, ...]
) -> None:
    (attempt_folder.output_folder / "question-1.json").write_text(written)
    assert questions(attempt_folder, tmp_path) == found
