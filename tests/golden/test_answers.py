"""Answers as agents write them, and how each is read: `answers/*.txt`.

A case has a name after `===`, what is expected as JSON, a line `---`, and the answer.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shiftwork.domain.workflow.pipeline import Step, pipeline_of
from shiftwork.domain.workflow.workflow import Route
from shiftwork.prompts.answer.contract import parse
from shiftwork.prompts.answer.result import InvalidAnswer, Result, asked_of, question, result
from shiftwork.testing.builders import planned

FOLDER = Path(__file__).parent / "answers"
ROUTES = (Route(value="approved"), Route(value="needs_fixes"), Route(value="rejected"))
DECIDING: dict[str, Any] = {"input": "Review it.", "decision_key": "DECISION", "routes": ROUTES}


def _step(**changes: Any) -> Step:
    step = pipeline_of((planned("coding"),)).steps[0]
    return replace(step, plan=replace(step.plan, **changes))


STEPS = {
    "review": _step(expects="STATUS: done\nDECISION: approved, needs_fixes or rejected", **DECIDING),
    "summarised": _step(expects="STATUS: done\nDECISION: …\nSUMMARY: …", **DECIDING),
    "own": _step(input="Do it."),
    "coding": _step(),
}


def cases() -> list[Any]:
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        for case in path.read_text(encoding="utf-8").split("=== ")[1:]:
            name, expected, answer = case.split("\n", 2)
            found.append(pytest.param(json.loads(expected), answer.removeprefix("---\n"), id=f"{path.stem}: {name}"))
    return found


def test_the_corpus_is_large() -> None:
    assert len(cases()) >= 60


@pytest.mark.parametrize(("expected", "answer"), cases())
def test_each_answer_is_read_as_expected(expected: dict[str, Any], answer: str) -> None:
    step = STEPS[expected.pop("step", "review")]
    said = parse(answer.replace("\n", expected.pop("line_end", "\n")), asked_of(step))
    found = result(step, said)
    if asks := expected.pop("asks", ""):
        assert question(said) == asks
        return
    assert question(said) == ""
    if refused := expected.pop("refused", ""):
        assert isinstance(found, InvalidAnswer)
        assert refused in found.error
        return
    assert isinstance(found, Result), found.error
    assert dict(said.outputs).items() >= expected.pop("outputs", {}).items()
    read = {
        "status": said.status,
        "decision": found.decision,
        "summary": said.summary,
        "finished": said.finished,
        "unsummarised": found.unsummarised,
    }
    assert read == {"status": None, "decision": "", "summary": "", "finished": False, "unsummarised": False} | expected
