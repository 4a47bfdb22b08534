"""Runs and stories as front ends show them, with derived values."""

from collections.abc import Sequence
from enum import StrEnum
from json import loads
from typing import Any, Final

from shiftwork.app.runtime import state_labels
from shiftwork.app.views.amounts import Limited, usage_of
from shiftwork.domain.agents.idle_time import Course, Idle, idle
from shiftwork.domain.agents.rate_limit import Waited
from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.core.first_error import split_failure
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.proof import proof_words
from shiftwork.domain.proof.verdict import ProofLevel, ProofStatus
from shiftwork.domain.usage.forecast import Band
from shiftwork.domain.usage.totals import total
from shiftwork.domain.usage.usage import Share, Usage
from shiftwork.ports.rows.row_columns import columns
from shiftwork.ports.rows.row_parts import WaitCause
from shiftwork.ports.views import Owner, RunRow, StepRow, StoryRow
from shiftwork.records import dataclass

PLAN: Final = "plan"
"""The workflow of `shiftwork plan`."""

UNDOING: Final = "undo pending"
"""The state of a story whose revert was requested, and has neither landed nor been refused."""


class Activity(StrEnum):
    """The activity of a run. If unfinished, it is working, waiting for a person, limited by an agent's rate limit,
    stuck (its agents have been silent for long), paused, queued (a server will work on it), or interrupted (no process
    works on it, and none will).
    """

    WORKING = "working"
    WAITING = "waiting"
    LIMITED = "limited"
    STUCK = "stuck"
    PAUSED = "paused"
    QUEUED = "queued"
    INTERRUPTED = "interrupted"
    OVER = "over"


class StoryActivity(StrEnum):
    """The activity of a story in progress: working, waiting for a person or a limit, or its agent is silent."""

    WORKING = "working"
    WAITING = "waiting"
    STUCK = "stuck"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryView:
    """A story with its steps, and its activity if it is in progress and a process works on its run."""

    story: StoryRow
    steps: Sequence[StepRow]
    activity: StoryActivity | None = None
    waited: tuple[Waited, ...] = ()

    @property
    def used(self) -> Usage:
        return usage_of(self.story)

    @property
    def idle(self) -> Idle:
        return idle([course_of(self.story, self.waited)])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutline:
    """A run without its stories, from its row and whether its worker lives."""

    run: RunRow
    activity: Activity
    worker: Owner | None

    @property
    def undoing(self) -> tuple[str, ...]:
        """The stories with a pending revert."""
        return tuple(self.run.undoing.splitlines())

    @property
    def moves(self) -> bool:
        """Whether a process works on stories; a paused run still completes its last attempts."""
        return self.activity in MOVING or (self.activity is Activity.PAUSED and self.worker is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView(RunOutline):
    """A run as it is shown. `meant`: commands without a run id use this run without asking."""

    stories: Sequence[StoryView]
    shares: Sequence[Share] = ()
    meant: bool = True

    @property
    def used(self) -> Usage:
        """The usage of all stories so far; the run's own row only counts ended stories."""
        return total(view.used for view in self.stories)

    @property
    def idle(self) -> Idle:
        """How long the run was idle: no story was being worked on."""
        return idle(course_of(view.story, view.waited) for view in self.stories)

    @property
    def band(self) -> Band | None:
        """The estimated cost when the run started."""
        low, high = self.run.low_usd, self.run.high_usd
        return None if low is None or high is None else Band(low_usd=low, high_usd=high, known=self.run.known)

    @property
    def limits(self) -> Limited:
        """The current limits."""
        run = self.run
        return (
            Budget(usd=run.max_usd, tokens=run.max_tokens, sessions=run.max_sessions),
            Budget(usd=run.story_usd, tokens=run.story_tokens, sessions=run.story_sessions),
            Budget(usd=run.step_usd, tokens=run.step_tokens),
        )

    @property
    def without_gates(self) -> tuple[str, ...]:
        """The gates that the user has allowed the run to continue without."""
        return tuple(self.run.without_gates.splitlines())

    @property
    def options(self) -> dict[str, Any]:
        """The current options, by name; see `domain.run.steering.options`."""
        found: dict[str, Any] = loads(self.run.options)
        return found

    @property
    def in_progress(self) -> tuple[str, ...]:
        """The stories in progress; empty if no process works on the run."""
        working = self.activity in MOVING
        return tuple(view.story.story for view in self.stories if working and view.story.status == "in_progress")


def reason(story: StoryRow) -> str:
    """Returns why the story waits: the question with its choices, each with the number that a person may answer. Of
    what a gate printed, only the first error belongs to the question.
    """
    waiting = story.waiting
    parts = split_failure(waiting.detail)
    asked = f"{' '.join(parts.head.split())} {parts.error}" if parts.error else waiting.detail
    return asked + "".join(f" [{number}] {choice}" for number, choice in enumerate(waiting.choices, start=1))


def asks(story: StoryRow) -> bool:
    """Whether the story asks a person for something."""
    return story.waiting.cause not in {WaitCause.UNKNOWN, WaitCause.RATE_LIMIT}


def waiting_text(story: StoryRow) -> str:
    """Returns what the story waits for, and why; empty if it does not wait."""
    cause = story.waiting.cause
    return f"{cause}: {reason(story)}" if cause else reason(story)


def story_columns(story: StoryRow) -> dict[str, Any]:
    """Returns the row as flat values for programs: `waiting` is the text, `hold` the kind of answer that is needed."""
    hold = story.waiting.cause if story.waiting.cause is not WaitCause.RATE_LIMIT else ""
    return columns(story) | {"waiting": waiting_text(story), "hold": hold}


def proof_of(story: StoryRow) -> ProofStatus | None:
    """Returns the proof of a landed story; None if none is recorded."""
    proof = story.proof
    if not proof.level:
        return None
    level = ProofLevel(proof.level)
    return ProofStatus(level=level, shown=proof.shown, criteria=proof.criteria, remark=proof.remark)


def after_landed(story: StoryRow) -> str:
    """Returns what follows "landed" in a sentence: how far the story is proved."""
    return proof_words.after_landed(proof_of(story))


def missing_evidence(story: StoryRow) -> str:
    """What nothing but the gates shows of a landed story; empty where nothing lacks evidence, or none is recorded."""
    proof = proof_of(story)
    return proof_words.missing_evidence(proof) if proof else ""


def has_false_evidence(story: StoryRow) -> bool:
    """Whether evidence for a criterion of the landed story was checked and is false."""
    proof = proof_of(story)
    return proof is not None and proof_words.is_refuted(proof)


def brief_proof(story: StoryRow) -> str:
    """For a cell of a table."""
    proof = proof_of(story)
    return proof_words.brief(proof) if proof else "-"


def run_label(row: RunRow) -> str:
    """The word for the status of a run that has ended, the same in all views. A run that only plans lands nothing."""
    return state_labels.word_of_run(row.status, landed=bool(row.completed) and row.workflow != PLAN)


def story_label(row: StoryRow, *, moving: bool, undoing: bool = False, stuck: bool = False) -> str:
    """The word for the state of a story, the same in all views. `moving`: a process works on the run; `undoing`: its
    revert is pending; `stuck`: its agent has been silent for long.
    """
    if undoing:
        return UNDOING
    if stuck:
        return StoryActivity.STUCK.value
    waits, limited = row.waiting.needs_person, row.waiting.until is not None
    proof = row.proof.level or ("landed" if row.landing.commit else None)
    return state_labels.word(row.status, moving=moving, waits=waits, limited=limited, proof=proof)


def course_of(story: StoryRow, waited: tuple[Waited, ...]) -> Course:
    began = None if story.story == FRAME else story.started_at
    return Course(began=began, ended=story.ended_at, waited=waited)


MOVING: Final = frozenset({Activity.WORKING, Activity.LIMITED, Activity.STUCK})
