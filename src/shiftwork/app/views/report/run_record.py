"""The record of a run: what documents about it are made from. `record_reader` reads it; here it is made from values."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from shiftwork.app.folds import STORY
from shiftwork.app.runtime import state_labels
from shiftwork.app.runtime.attempt_projection import attempt_row
from shiftwork.app.runtime.projections import idle_row, is_idle
from shiftwork.app.runtime.story_projection import story_rows
from shiftwork.app.views.amounts import usage_of
from shiftwork.app.views.gate_history import Checked
from shiftwork.app.views.history import Account, StoryAccount
from shiftwork.app.views.run_views import proof_of, story_label
from shiftwork.domain.agents.idle_time import Course, Idle, idle
from shiftwork.domain.agents.rate_limit import Waited
from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.domain.budget.reservations import of_limited, overshoot
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.first_error import without_logs
from shiftwork.domain.core.ids import FRAME, StoryId
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.proof.verdict import ProofStatus
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import HoldCause
from shiftwork.domain.tampering.findings import Finding
from shiftwork.domain.usage.totals import merged, total
from shiftwork.domain.usage.usage import Share, Usage
from shiftwork.ports.rows.row_parts import UsedPart
from shiftwork.ports.views import AttemptRow, StepRow, StoryRow
from shiftwork.records import dataclass, replace

_QUOTED: Final = (
    story_facts.WorkflowEdited,
    story_facts.WorkflowEditRejected,
    story_facts.StoryReleased,
    story_facts.LandingRefused,
    story_facts.WorkRefused,
    story_facts.RepairPlanned,
    story_facts.StoryReopened,
    story_facts.StepFailed,
    story_facts.StepCancelled,
    story_facts.StepInterrupted,
    story_facts.StepDeferred,
    story_facts.StepCutShort,
    story_facts.StepYielded,
    story_facts.SummaryMissed,
    NoticeTried,
)
_QUOTED_OF_LANDED: Final = (*_QUOTED, story_facts.LandingRequested, story_facts.StoryCertified)

type Reserved = Mapping[tuple[StoryId, int], Amount]
"""The amounts reserved for attempts, by story and claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptMade:
    """An ended attempt of an agent. In a run with a limit, an amount was `reserved` for it; `over` is what it used
    beyond that.
    """

    row: AttemptRow
    used: Usage
    reserved: Budget | None = None
    over: Amount | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a person was asked, and what they answered."""

    at: float
    cause: HoldCause
    question: str
    granted: bool
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRecord:
    """`asked` is the story in the spec, `row` what its own facts say, and `listed` what lists show: that differs while
    the story waits for its first or next start. `facts` are those that documents quote, and `checks` the reports of
    gates on its candidates.
    """

    asked: Story
    began: bool
    row: StoryRow
    listed: StoryRow
    steps: tuple[StepRow, ...] = ()
    attempts: tuple[AttemptMade, ...] = ()
    waited: tuple[Waited, ...] = ()
    answers: tuple[Answer, ...] = ()
    facts: tuple[Fact, ...] = ()
    checks: tuple[Checked, ...] = ()

    @property
    def used(self) -> Usage:
        return usage_of(self.row)

    @property
    def shares(self) -> tuple[Share, ...]:
        """What each profile has used with each model, in the order in which they first worked."""
        made = self.attempts
        return merged(Share(agent=each.row.agent, model=each.row.model, usage=each.used) for each in made)

    @property
    def proof(self) -> ProofStatus | None:
        return proof_of(self.row)

    @property
    def idle(self) -> Idle:
        return idle([self.course])

    @property
    def course(self) -> Course:
        began = None if self.asked.id == FRAME else self.row.started_at
        return Course(began=began, ended=self.row.ended_at, waited=self.waited)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the story changed in tests and gate configuration, as its last landing request says."""
        if not self.row.landing.tests:
            return ()
        asked = [fact for fact in self.facts if isinstance(fact, story_facts.LandingRequested)]
        return asked[-1].inspection.findings

    @property
    def certified(self) -> story_facts.StoryCertified | None:
        """The certificate of the commit that has landed, unless it has been reverted since."""
        found = [fact for fact in self.facts if isinstance(fact, story_facts.StoryCertified)]
        return found[-1] if found and found[-1].certificate.commit == self.row.landing.commit else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run with its stories in the order of the spec; the run's own steps come first, once they have started.
    `undelivered` are failed notifications.
    """

    run: RunState
    stories: tuple[StoryRecord, ...]
    undelivered: tuple[NoticeTried, ...] = ()

    @property
    def used(self) -> Usage:
        return total(story.used for story in self.stories)

    @property
    def shares(self) -> tuple[Share, ...]:
        return merged(share for story in self.stories for share in story.shares)

    @property
    def idle(self) -> Idle:
        """How long the run was idle: no story was being worked on."""
        return idle(story.course for story in self.stories)

    @property
    def word(self) -> str:
        """The word for the status of the run."""
        landed = any(story.row.landing.commit for story in self.stories)
        return state_labels.word_of_run(self.run.status, landed=landed)

    def reason(self, story: StoryRecord) -> str:
        """Why the story failed or cannot start; empty if it did neither."""
        return without_logs(story.row.failure) or self.run.schedule.blocked.get(story.asked.id, "")

    def label(self, story: StoryRecord, *, moving: bool) -> str:
        """The word for the state of a story, as every view shows it; `moving`: a process works on the run."""
        return story_label(story.listed, moving=moving, undoing=story.asked.id in self.run.requests.undoing)


def record_of(account: Account) -> RunRecord:
    """The record of a run from its whole history."""
    stories = tuple(record_of_story(account.run, story, account.reserved) for story in account.stories)
    return RunRecord(run=account.run, stories=stories, undelivered=account.undelivered)


def record_of_story(run: RunState, account: StoryAccount, reserved: Reserved) -> StoryRecord:
    """The record of a story from its whole history."""
    asked, turns = account.asked, account.turns
    if not turns:
        listed = idle_row(run, asked.id)
        row = replace(listed, failure="", used=UsedPart())  # the run's row repeats what it knows of an earlier start
        return StoryRecord(asked=asked, began=False, row=row, listed=listed, checks=account.checks)
    rows = story_rows(STORY.start, account.state)
    (row,) = (row for row in rows if isinstance(row, StoryRow))
    attempts = (made for turn in turns for made in attempt_row(turn.before, turn.fact, turn.after))
    return StoryRecord(
        asked=asked,
        began=True,
        row=row,
        listed=listed_row(run, row),
        steps=tuple(row for row in rows if isinstance(row, StepRow)),
        attempts=attempts_made(run, attempts, reserved),
        waited=account.state.rate_limit.waited,
        answers=tuple(_answers(account)),
        facts=tuple(turn.fact for turn in turns if isinstance(turn.fact, quoted_kinds(row))),
        checks=account.checks,
    )


def quoted_kinds(row: StoryRow) -> tuple[type[Fact], ...]:
    """The facts that documents quote of a story: more of one that has landed, or that changed tests or gates."""
    return _QUOTED_OF_LANDED if row.landing.commit or row.landing.tests else _QUOTED


def listed_row(run: RunState, row: StoryRow) -> StoryRow:
    """The row that lists show for a story that began: the run's, while the story waits for its next start."""
    known = run.stories.get(StoryId(row.story))
    return idle_row(run, StoryId(row.story)) if known and is_idle(known) else row


def attempts_made(run: RunState, rows: Iterable[AttemptRow], reserved: Reserved) -> tuple[AttemptMade, ...]:
    return tuple(_made(run, row, reserved.get((StoryId(row.story), row.claim))) for row in rows)


def _made(run: RunState, row: AttemptRow, held: Amount | None) -> AttemptMade:
    used, limit = usage_of(row), run.given.limits.run
    if held is None:
        return AttemptMade(row=row, used=used)
    return AttemptMade(row=row, used=used, reserved=of_limited(limit, held), over=overshoot(limit, held, used))


def _answers(account: StoryAccount) -> Iterator[Answer]:
    for turn in account.turns:
        fact, asked = turn.fact, turn.before.asks
        if isinstance(fact, story_facts.StoryReleased) and asked:
            yield Answer(at=fact.at, cause=asked.cause, question=asked.detail, granted=fact.granted, answer=fact.answer)
