"""Attempts, their logs, and the steps of a story as documents."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from shiftwork.app.views import amounts
from shiftwork.app.views.documents.document import Document, Time, moment
from shiftwork.app.views.documents.gate_records import GateOutcome, outcome
from shiftwork.app.views.documents.usage_records import Limit, State, Used, state_of
from shiftwork.app.views.gate_history import Checked
from shiftwork.app.views.report.run_record import AttemptMade, RunRecord
from shiftwork.app.views.step_list import StepList
from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.domain.landing.state import requested_by
from shiftwork.domain.workflow.guardrails import HARNESS_ONLY
from shiftwork.domain.workflow.step_types import DYNAMIC_STEPS
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt(Used):
    """An ended attempt of an agent. `ending` says how it ended; `reserved` is the amount that was reserved for it, and
    `overshoot` is what it used beyond that; both are null in a run without a limit.
    """

    run: str
    story: str
    step: str
    attempt: int
    agent: str
    model: str | None
    ending: str
    duration_seconds: float | None
    reserved: Limit | None
    overshoot: Limit | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts(Document):
    """The ended attempts of a run or of one story, by story and in the order in which they ended."""

    SCHEMA: ClassVar[str] = "attempts"

    run: str
    ended_attempts: Sequence[Attempt]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEntry:
    """A step in the list of a story. `outcome` is its summary, or why it failed or was skipped. A `mandatory` step
    cannot be skipped, and nothing can follow one that is `last`.
    """

    number: int
    step: str
    name: str
    type: str
    status: str
    state: State
    attempts: int
    restarts: int
    added_by: str
    description: str
    outcome: str
    mandatory: bool
    last: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps(Document):
    """The steps of a story in their order. `requested` are edits of people that the story has not answered yet,
    `rejected` are the last rejected edits. Steps of all `step_types` can be added.
    """

    SCHEMA: ClassVar[str] = "steps"

    run: str
    story: str
    title: str
    status: str
    steps: Sequence[StepEntry]
    requested: Sequence[str]
    rejected: Sequence[str]
    step_types: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """`who` is text, tool, result, final, note or stderr; `tool` names the tool of a call."""

    who: str
    tool: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Log(Document):
    """What an agent did in an attempt."""

    SCHEMA: ClassVar[str] = "log"

    run: str
    story: str
    step: str
    type: str
    attempt: int
    log: str
    entries: Sequence[LogEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRun:
    """The gates on a commit; `cached`: their results are from another commit with the same tree. `not_needed` are gates
    that did not run, with the reason; `excused` are red ones of the second run that do not count.
    """

    time: Time
    story: str
    request: str
    commit: str
    passed: bool
    cached: bool
    gate_results: Sequence[GateOutcome]
    not_needed: Sequence[str]
    excused: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLog(Document):
    """What the gates printed about the work of a story, oldest first; without `story`, of each story of the run."""

    SCHEMA: ClassVar[str] = "gate-log"

    run: str
    story: str | None
    gate_runs: Sequence[GateRun]


def attempts_document(record: RunRecord) -> Attempts:
    return story_attempts_document(record.run.given.run, (one for story in record.stories for one in story.attempts))


def story_attempts_document(run: str, made: Iterable[AttemptMade]) -> Attempts:
    return Attempts(run=run, ended_attempts=[_attempt(one) for one in made])


def _attempt(made: AttemptMade) -> Attempt:
    row = made.row
    return Attempt(
        run=row.run,
        story=row.story,
        step=row.step,
        attempt=row.number,
        agent=row.agent,
        model=row.model or None,
        ending=row.ending,
        duration_seconds=row.seconds,
        reserved=_limit(made.reserved),
        overshoot=_limit(made.over),
        **amounts.plain(made.used),
    )


def _limit(amount: Budget | Amount | None) -> Limit | None:
    if amount is None:
        return None
    return Limit(cost_usd=amount.usd, tokens=amount.tokens, sessions=amount.sessions)


def steps_document(run: str, listed: StepList) -> Steps:
    return Steps(
        run=run,
        story=listed.story,
        title=listed.title,
        status=listed.status,
        steps=[
            StepEntry(
                number=line.number,
                step=line.id,
                name=line.name,
                type=line.type,
                status=line.status,
                state=state_of(line.status),
                attempts=line.attempts,
                restarts=line.restarts,
                added_by=line.added_by,
                description=line.description,
                outcome=line.outcome,
                mandatory=line.mandatory,
                last=line.last,
            )
            for line in listed.steps
        ],
        requested=listed.requested,
        rejected=listed.rejected,
        step_types=sorted({*DYNAMIC_STEPS, *(line.type for line in listed.steps)} - HARNESS_ONLY),
    )


def gate_log_document(run: str, story: str | None, checks: Sequence[Checked]) -> GateLog:
    return GateLog(run=run, story=story, gate_runs=[_gate_run(check) for check in checks])


def _gate_run(check: Checked) -> GateRun:
    report = check.report
    return GateRun(
        time=moment(check.at),
        story=requested_by(check.request)[1],
        request=check.request,
        commit=report.commit,
        passed=report.passed,
        cached=report.cached,
        gate_results=[outcome(result) for result in report.results],
        not_needed=[f"{gate.name}: {gate.reason}" for gate in report.not_needed],
        excused=[f"{gate.name}: {gate.reason}" for gate in report.excused],
    )
