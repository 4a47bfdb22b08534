"""The tools without the protocol: read the task sheet, check an edit at once, write outputs to the attempt folder."""

import json
import os
from pathlib import Path
from typing import Any, Final

from shiftwork.app.attempt.edit_check import checked, steps_of
from shiftwork.domain.core.ids import StepId
from shiftwork.domain.core.plain import from_plain
from shiftwork.domain.memory.notes import Scope
from shiftwork.domain.spec import spec
from shiftwork.domain.workflow.pipeline import Pipeline
from shiftwork.prompts.lengths import shorten

NOTE_LIMIT: Final = 8_000
QUESTION_LIMIT: Final = 4_000
OPTION_LIMIT: Final = 400
_FOLDERS: Final[dict[str, str]] = {Scope.STORY: "note", Scope.PROJECT: "project", Scope.PATTERN: "pattern"}
"""The prefix of a message's file name says whom its note is for."""


class Toolbox:
    """The tools of one attempt. Nothing here is trusted: the harness checks all of it again after the attempt."""

    def __init__(self, attempt_folder: Path) -> None:
        sheet = json.loads((attempt_folder / "task.json").read_text(encoding="utf-8"))
        self._output_folder = attempt_folder / "outputs"
        self._step = StepId(sheet["step"])
        self._story: spec.Story = from_plain(spec.Story, sheet["story"])
        self._requirements: list[str] = sheet["requirements"]
        self._pipeline: Pipeline = from_plain(Pipeline, sheet["pipeline"])
        self._count = 0

    def read_task(self) -> dict[str, Any]:
        return {
            "story": {"id": self._story.id, "title": self._story.title, "description": self._story.description},
            "acceptance_criteria": [{"id": c.id, "text": c.text} for c in self._story.criteria],
            "requirements": self._requirements,
            "current_step": self._step,
            "steps": list(steps_of(self._pipeline)),
        }

    def edit_workflow(self, operations: list[dict[str, Any]]) -> str:
        """Accepted requests add up: each is checked against the result of the earlier ones."""
        request = json.dumps(operations)
        found = checked(self._pipeline, self._step, request)
        if found.problem:
            return f"REJECTED, nothing was changed: {found.problem}"
        self._pipeline = found.pipeline
        self._leave("edit", request)
        return "ACCEPTED; applied when this step ends. The steps will be:\n" + "\n".join(steps_of(self._pipeline))

    def write_note(self, text: str, scope: str = Scope.STORY) -> str:
        if not text.strip():
            return "REJECTED: the note is empty"
        if scope not in _FOLDERS:
            return f"REJECTED: there is no scope {scope!r}; known are {', '.join(_FOLDERS)}"
        kept = shorten(text, NOTE_LIMIT)
        self._leave(_FOLDERS[scope], kept)
        return "noted" if kept == text else f"noted, without its middle: a note has at most {NOTE_LIMIT:,} bytes"

    def report_evidence(self, criterion: str, kind: str, reference: str) -> str:
        known = {c.id for c in self._story.criteria}
        if criterion not in known:
            return f"REJECTED: there is no criterion {criterion!r}; known are {', '.join(sorted(known))}"
        self._leave("evidence", json.dumps({"criterion": criterion, "kind": kind, "reference": reference}))
        return "noted; the harness will check it"

    def ask(self, question: str, options: list[str] | None = None) -> str:
        if not question.strip():
            return "REJECTED: the question is empty"
        choices = [shorten(option, OPTION_LIMIT) for option in map(str, options or ()) if option.strip()]
        self._leave("question", json.dumps({"question": shorten(question, QUESTION_LIMIT), "options": choices}))
        return (
            "asked. You get no answer in this session: end your session now, with its summary. Your changes are kept; "
            "this step continues in a new session with the answer."
        )

    def _leave(self, kind: str, text: str) -> None:
        """Writes atomically: a reader never sees an incomplete message."""
        self._count += 1
        final = self._output_folder / f"{kind}-{os.getpid():08d}-{self._count:04d}.json"
        draft = final.with_suffix(".draft")
        draft.write_text(text, encoding="utf-8")
        draft.rename(self._output_folder / final.name)
