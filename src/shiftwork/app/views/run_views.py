"""Runs and stories as front ends show them, with what can only be derived."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from json import loads
from typing import Any, Final

from shiftwork.app.views.amounts import Limited, usage_of
from shiftwork.domain.agents.idle_time import Course, Idle, idle
from shiftwork.domain.agents.rate_limit import Waited
from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.proof.verdict import ProofLevel, ProofStatus
from shiftwork.domain.usage.forecast import Band
from shiftwork.domain.usage.totals import total
from shiftwork.domain.usage.usage import Share, Usage
from shiftwork.ports.views import RESET, Owner, RunRow, StepRow, StoryRow


class Pulse(StrEnum):
    """Whether anything moves: a run that is not over is worked on, waits for a person or for the end of an agent's
    limit, has agents that have been silent for long, is paused, or is nobody's.
    """

    WORKING = "working"
    WAITING = "waiting"
    LIMITED = "limited"
    STUCK = "stuck"
    PAUSED = "paused"
    INTERRUPTED = "interrupted"
    OVER = "over"


class Standing(StrEnum):
    """Of a story under way: its agent works, it waits for a person or a limit, or its agent has long been silent."""

    WORKING = "working"
    WAITING = "waiting"
    STUCK = "stuck"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryView:
    """A story with its steps, and how it stands where it is under way and somebody works on its run."""

    story: StoryRow
    steps: Sequence[StepRow]
    standing: Standing | None = None
    waited: tuple[Waited, ...] = ()

    @property
    def used(self) -> Usage:
        return usage_of(self.story)

    @property
    def idle(self) -> Idle:
        return idle([course_of(self.story, self.waited)])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run as it is shown, from its rows and from whether its worker lives; `meant` where no other one is by commands
    that name none.
    """

    run: RunRow
    pulse: Pulse
    worker: Owner | None
    stories: Sequence[StoryView]
    shares: Sequence[Share] = ()
    meant: bool = True

    @property
    def used(self) -> Usage:
        """What the stories have used so far; the run's own row only counts those that have ended."""
        return total(view.used for view in self.stories)

    @property
    def idle(self) -> Idle:
        """How much of its time it only waited, while none of its stories was worked on."""
        return idle(course_of(one.story, one.waited) for one in self.stories)

    @property
    def band(self) -> Band | None:
        """What it was foreseen to cost when it began."""
        low, high = self.run.low_usd, self.run.high_usd
        return None if low is None or high is None else Band(low_usd=low, high_usd=high, known=self.run.known)

    @property
    def limits(self) -> Limited:
        """Those that hold now."""
        run = self.run
        return (
            Budget(usd=run.max_usd, tokens=run.max_tokens),
            Budget(usd=run.story_usd, tokens=run.story_tokens),
            Budget(usd=run.step_usd, tokens=run.step_tokens),
        )

    @property
    def without_gates(self) -> tuple[str, ...]:
        """Those that the user has let it continue without."""
        return tuple(self.run.without_gates.splitlines())

    @property
    def undoing(self) -> tuple[str, ...]:
        """The stories whose revert was asked for and is not over."""
        return tuple(self.run.undoing.splitlines())

    @property
    def options(self) -> dict[str, Any]:
        """Those in force, by name; see `domain.run.steering.options`."""
        found: dict[str, Any] = loads(self.run.options)
        return found

    @property
    def moves(self) -> bool:
        """Whether anybody works on what is under way; in a paused run the last attempts are brought to their end."""
        return self.pulse in MOVING or (self.pulse is Pulse.PAUSED and self.worker is not None)

    @property
    def under_way(self) -> tuple[str, ...]:
        """The stories that are being worked on; where nobody works on the run there are none."""
        working = self.pulse in MOVING
        return tuple(one.story.story for one in self.stories if working and one.story.status == "in_progress")


def reason(story: StoryRow) -> str:
    """Why it waits, without the word before it that says what for."""
    return story.waiting.removeprefix(f"{story.hold or RESET}: ")


def proof_of(story: StoryRow) -> ProofStatus | None:
    """How a story stands that has landed; None where nobody has recorded it."""
    if not story.proof:
        return None
    level = ProofLevel(story.proof)
    return ProofStatus(level=level, shown=story.shown, criteria=story.criteria, remark=story.proof_remark)


def course_of(story: StoryRow, waited: tuple[Waited, ...]) -> Course:
    began = None if story.story == FRAME else story.started_at
    return Course(began=began, ended=story.ended_at, waited=waited)


MOVING: Final = frozenset({Pulse.WORKING, Pulse.LIMITED, Pulse.STUCK})
