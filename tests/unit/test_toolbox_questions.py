"""`ask`: what an agent asks with the tool, or writes into its outbox itself, is a question to a person."""

import asyncio
import json
from pathlib import Path

import pytest

from shiftwork.adapters.desks import FolderDesks
from shiftwork.domain.model.codec import to_plain
from shiftwork.domain.model.pipeline import Pipeline
from shiftwork.entrypoints.mcp.toolbox import QUESTION_LIMIT, Toolbox
from shiftwork.ports.desk import Desk, DeskName, Question
from shiftwork.testing.builders import asked


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = asyncio.run(FolderDesks(tmp_path).lay(DeskName(run="r", story="US-001", step="step-001", attempt=1)))
    task = {"step": "step-001", "story": to_plain(asked()), "requirements": [], "pipeline": to_plain(Pipeline())}
    (desk.folder / "task.json").write_text(json.dumps(task))
    return desk


def left(desk: Desk, tmp_path: Path) -> tuple[Question, ...]:
    return asyncio.run(FolderDesks(tmp_path).collect(desk)).questions


def test_a_question_lies_in_the_outbox_with_its_options(desk: Desk, tmp_path: Path) -> None:
    tools = Toolbox(desk.folder)
    assert "end your session now" in tools.ask("Tabs or blanks?", ["tabs", " ", "blanks"])
    assert "end your session now" in tools.ask("Why?")
    assert left(desk, tmp_path) == (
        Question(text="Tabs or blanks?", options=("tabs", "blanks")),
        Question(text="Why?"),
    )


def test_an_empty_question_is_refused(desk: Desk, tmp_path: Path) -> None:
    assert Toolbox(desk.folder).ask(" \n") == "REJECTED: the question is empty"
    assert left(desk, tmp_path) == ()


def test_a_long_question_is_shortened(desk: Desk, tmp_path: Path) -> None:
    Toolbox(desk.folder).ask("why " * QUESTION_LIMIT)
    (question,) = left(desk, tmp_path)
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
    desk: Desk, tmp_path: Path, written: str, found: tuple[Question, ...]
) -> None:
    (desk.outbox / "question-1.json").write_text(written)
    assert left(desk, tmp_path) == found
