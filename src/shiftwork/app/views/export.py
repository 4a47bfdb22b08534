"""Exports a run as `workflow_state.json`, the format of the Ralph tools. Every entry comes from facts."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from shiftwork.app.views import amounts, costs
from shiftwork.app.views.history import Account, StoryAccount, Turn
from shiftwork.app.views.report.run_record import record_of
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import step_id
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.recovery.missing_summary import MISSING
from shiftwork.domain.story.state import StoryStatus
from shiftwork.domain.usage.totals import one_attempt
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.guardrails import PERSON
from shiftwork.domain.workflow.pipeline import Pipeline, Step, StepStatus, pipeline_of
from shiftwork.planning.prd_writer import prd_document

VERSION: Final = 1

type Json = dict[str, Any]
type _Entry = tuple[str, str | None, Json]
"""An action, the step it is about, and its details."""


def export(account: Account, root: Path) -> Json:
    """Paths of files are relative to `root`, the repository's folder, if they are inside it. Everything follows the
    common format, except `spec`, the stories as a prd.json, from which an import takes their texts and criteria, and
    `account`: cost, tokens and proof.
    """
    run = account.run
    return {
        "version": VERSION,
        "created_at": _time(run.started_at),
        "prd_file": run.given.source.partition(":")[2] or None,
        "stories": {story.asked.id: _story(account, story, root) for story in account.stories},
        "spec": prd_document(run.given.spec, {}),
        "account": costs.document(record_of(account)),
    }


def _story(account: Account, story_account: StoryAccount, root: Path) -> Json:
    state, status = story_account.state, account.status(story_account)
    pipeline = state.pipeline if story_account.turns else pipeline_of(account.run.given.workflow.story_steps)
    completed = status is StoryStatus.COMPLETED
    return {
        "story_id": story_account.asked.id,
        "title": story_account.asked.title,
        "status": status.value,
        "agent_id": _agent(story_account),
        "claimed_at": _time(state.started_at),
        "completed_at": _time(state.ended_at) if completed else None,
        "depends_on": list(story_account.asked.depends_on),
        "steps": [_step(step, root) for step in pipeline.steps],
        "history": [
            _entry(turn.fact.at, _agent(story_account), entry)
            for turn in story_account.turns
            for entry in _entries(turn)
        ],
    }


def _entry(at: float, agent: int | None, entry: _Entry) -> Json:
    action, step, details = entry
    return {"timestamp": _time(at), "action": action, "agent_id": agent, "step_id": step, "details": details}


def _agent(account: StoryAccount) -> int | None:
    """Agents are numbered by the slots of the stories."""
    return account.state.assignment.slot + 1 if account.state.assignment else None


def _step(step: Step, root: Path) -> Json:
    """The usage of an attempt is known when it has ended."""
    ended = step.ended_at is not None and step.status is not StepStatus.IN_PROGRESS
    return {
        "id": step.id,
        "type": step.plan.type,
        "status": step.status.value,
        "description": step.plan.description,
        "started_at": _time(step.started_at),
        "completed_at": _time(step.ended_at) if ended else None,
        "git_sha_at_start": step.start_commit or None,
        "notes": step.notes or None,
        "error": step.error or None,
        "skip_reason": step.skip_reason or None,
        "restart_count": step.restarts,
        **_used(step.usage),
        "log_file": _within(step.log, root),
    }


def _entries(turn: Turn) -> Iterator[_Entry]:
    """Leaves out facts for which the format has no action."""
    yield from _of_story(turn.fact)
    yield from _of_step(turn.fact)
    match turn.fact:
        case story_facts.WorkflowEdited() as fact:
            yield from _edited(turn, fact)
        case story_facts.WorkflowEditRejected() as fact:
            step, by = _editor(fact.by)
            yield "workflow_edit_rejected", step, {"request": fact.request, "reason": fact.reason, **by}
        case story_facts.RepairPlanned() as fact:
            yield _fixed(turn, fact)
        case _:
            pass


def _of_story(fact: Fact) -> Iterator[_Entry]:
    match fact:
        case story_facts.StoryStarted():
            yield "story_claimed", None, {}
        case story_facts.StoryReopened():
            yield "story_claimed", None, {"from_scratch": fact.from_scratch, "because": fact.because or None}
        case story_facts.StoryCompleted():
            yield "story_completed", None, {"commit": fact.commit}
        case story_facts.StoryFailed():
            yield "story_failed", None, {"cause": fact.cause.value, "reason": fact.reason}
        case _:
            pass


def _of_step(fact: Fact) -> Iterator[_Entry]:
    match fact:
        case story_facts.StepStarted():
            yield "step_started", fact.step, {"attempt": fact.attempt, "git_sha_at_start": fact.commit}
        case story_facts.StepCompleted():
            yield (
                "step_completed",
                fact.step,
                {"attempt": fact.attempt, "git_sha": fact.commit, **_used(one_attempt(fact.usage))},
            )
        case story_facts.StepFailed():
            yield "step_failed", fact.step, _trouble(fact)
        case story_facts.StepCancelled():
            yield "step_cancelled", fact.step, _trouble(fact)
        case story_facts.StepInterrupted():
            reason = "a person restarted the step" if fact.restarted else "the attempt was interrupted"
            details = {"attempt": fact.attempt, "trouble": "interrupted", "error": reason, "diff": fact.diff or None}
            yield "step_cancelled", fact.step, details
        case story_facts.StepDeferred():
            details = {"attempt": fact.attempt, "trouble": "limited", "error": fact.reason, "diff": fact.diff or None}
            yield "step_cancelled", fact.step, {**details, **_used(one_attempt(fact.usage))}
        case story_facts.StepCutShort() | story_facts.SummaryMissed():
            yield "step_cancelled", fact.step, _ended_early(fact)
        case _:
            pass


def _ended_early(fact: story_facts.StepCutShort | story_facts.SummaryMissed) -> dict[str, Any]:
    if isinstance(fact, story_facts.SummaryMissed):
        details = {"attempt": fact.attempt, "trouble": "no_summary", "error": MISSING, "diff": None}
    else:
        reason = "the agent stopped at its cost limit"
        details = {"attempt": fact.attempt, "trouble": "cut_short", "error": reason, "diff": fact.diff or None}
    return {**details, **_used(one_attempt(fact.usage))}


def _trouble(fact: story_facts.StepFailed | story_facts.StepCancelled) -> Json:
    values = {"attempt": fact.attempt, "trouble": fact.trouble.value, "error": fact.error, "diff": fact.diff or None}
    return {**values, **_used(one_attempt(fact.usage))}


def _used(usage: Usage) -> Json:
    """Unknown values are null."""
    values = amounts.plain(usage)
    return {name: values[name] for name in ("cost_usd", "input_tokens", "output_tokens")}


def _edited(turn: Turn, fact: story_facts.WorkflowEdited) -> Iterator[_Entry]:
    """One entry for each operation, and a second entry if it skips a step. Each shows the steps before and after the
    whole request, which is applied at once.
    """
    number = turn.before.pipeline.next_number
    step, by = _editor(fact.by)
    for edit in fact.edits:
        yield "workflow_edit", step, {**_operation(turn, edit, number), **_around(turn), **by}
        number += len(edit.steps)
        if edit.operation is Operation.SKIP:
            yield "step_skipped", edit.target, {"operation": edit.operation.value, "reason": edit.reason}


def _editor(by: str) -> tuple[str | None, Json]:
    """The step whose agent requested an edit; a person is no step."""
    return (None, {"requested_by": PERSON}) if by == PERSON else (by, {})


def _operation(turn: Turn, edit: Edit, number: int) -> Json:
    details: Json = {"operation": edit.operation.value, "reason": edit.reason}
    if edit.target:
        details["target_step_id"] = edit.target
    if edit.steps:
        name = "replacement_steps" if edit.operation is Operation.SPLIT else "new_steps"
        details[name] = [_new(number + place, step) for place, step in enumerate(edit.steps)]
    if edit.order:
        details["new_order"] = list(edit.order)
    if edit.description:
        old = turn.before.pipeline.find(edit.target)
        details |= {"old_description": old.plan.description if old else None, "new_description": edit.description}
    return details


def _fixed(turn: Turn, fact: story_facts.RepairPlanned) -> _Entry:
    """A step that the harness adds after a refusal counts as an edit."""
    number = turn.before.pipeline.next_number
    before = turn.after.pipeline.steps[: turn.after.pipeline.index(step_id(number))]
    added = _new(number, NewStep(type=fact.type, description=fact.description))
    details = {"operation": Operation.ADD_AFTER.value, "reason": f"refused: {fact.cause}", "new_steps": [added]}
    return (
        "workflow_edit",
        None,
        {**details, **_around(turn), "target_step_id": next((step.id for step in reversed(before)), None)},
    )


def _around(turn: Turn) -> Json:
    return {"before": _listed(turn.before.pipeline), "after": _listed(turn.after.pipeline)}


def _listed(pipeline: Pipeline) -> list[Json]:
    return [
        {"id": step.id, "type": step.plan.type, "status": step.status.value, "description": step.plan.description}
        for step in pipeline.steps
    ]


def _new(number: int, step: NewStep) -> Json:
    return {"id": step_id(number), "type": step.type, "description": step.description}


def _time(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _within(file: str, root: Path) -> str | None:
    if not file:
        return None
    path = Path(file)
    return str(path.relative_to(root)) if path.is_relative_to(root) else file
