"""What is seen of a run while it works: facts folded into where each story stands, and one line for each change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from shiftwork.app.kinds import STORY
from shiftwork.app.world import GateBegun, Sighting
from shiftwork.domain.model import budget_facts as b
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model import waiting_facts as w
from shiftwork.domain.model.gate import GateReport
from shiftwork.domain.model.ids import StepId, StoryId, Stream
from shiftwork.domain.model.pipeline import StepStatus
from shiftwork.domain.model.queue import requested_by
from shiftwork.domain.model.queue_facts import CandidateFailed, CandidateVerified
from shiftwork.domain.model.run import RunPlan
from shiftwork.domain.model.spec import Story
from shiftwork.domain.model.story import Hold, HoldCause, StoryState
from shiftwork.domain.model.tampering import Inspection
from shiftwork.domain.model.withdrawal_facts import LandingWithdrawn
from shiftwork.domain.model.workflow import StepKind
from shiftwork.domain.rules.addressing import for_people
from shiftwork.domain.rules.certifying import proof_of
from shiftwork.domain.rules.charging import ENDS
from shiftwork.domain.rules.noticing import notice_of_hold
from shiftwork.domain.rules.proof_status import after_landed
from shiftwork.ports.agent import AgentEvent, EventKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something worth a line: `event` names it for programs, `text` is what was said about it, unclean. `until` is
    when what is waited for is over. `proof` says of what has landed how far it is proved.
    """

    at: float
    event: str
    story: str = ""
    step: str = ""
    type: str = ""
    name: str = ""
    attempt: int = 0
    text: str = ""
    until: float | None = None
    proof: str = ""


@dataclass(slots=True, kw_only=True)
class Board:
    """Where the stories of one run stand, by their streams, the last that each one's agent was seen doing, the gate
    that one waits for, and all that has changed so far; `meant` where no other run is by commands that name none.
    """

    stories: dict[Stream, StoryState] = field(default_factory=dict)
    doing: dict[Stream, AgentEvent] = field(default_factory=dict)
    gates: dict[Stream, GateBegun] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    meant: bool = True

    def see(self, sighting: Sighting) -> Change | None:
        """Take in what was seen; the change it is, where it is one."""
        stream, what = sighting.stream, sighting.what
        if isinstance(what, AgentEvent):
            if (what.text or what.tool) and what.kind is not EventKind.USAGE:  # a count is nothing that is done
                self.doing[stream] = what
            return None
        if isinstance(what, GateBegun):
            self.gates[stream] = what
            return None
        self.gates.pop(stream, None)  # what a story records ends its wait for one
        if stream.startswith("story/"):
            self.stories[stream] = STORY.evolve(self.stories.get(stream, STORY.start), what)
        if isinstance(what, ENDS):
            self.doing.pop(stream, None)
        if type(what) not in EVENTS or _untold(what):
            return None
        change = _change(what, self.stories.get(stream, STORY.start))
        self.changes.append(change)
        return change

    @property
    def asked(self) -> Mapping[Stream, Hold]:
        """What is waited for a person to say, by stories."""
        return {stream: story.asks for stream, story in self.stories.items() if story.asks}

    @property
    def held(self) -> bool:
        """Whether a person must do something before any of the stories begun goes on. One that has still to tell the
        run of its end moves; the run's own steps do not count while they wait for the stories.
        """
        flying = [story for story in self.stories.values() if not story.reported and not _loops(story)]
        return bool(flying) and all(story.asks and not notice_of_hold(story) for story in flying)

    @property
    def waiting(self) -> frozenset[StoryId]:
        """The stories that wait for a person and let others use their place meanwhile."""
        held = (story for story in self.stories.values() if story.asks and story.asks.cause is not HoldCause.LIMIT)
        return frozenset(story.given.story.id for story in held)


def _loops(story: StoryState) -> bool:
    step = story.pipeline.current
    return step is not None and step.kind is StepKind.LOOP and step.status is StepStatus.IN_PROGRESS


EVENTS: Final[dict[type[f.Fact], tuple[str, str]]] = {
    r.RunStarted: ("run_started", "plan"),
    r.StoryAdopted: ("story_adopted", "story"),
    r.SpecTicked: ("spec_ticked", "ticked"),
    r.SpecTickFailed: ("spec_tick_failed", "reason"),
    r.RunPaused: ("run_paused", ""),
    r.RunUnpaused: ("run_unpaused", ""),
    r.StoryCancellationRequested: ("story_cancelled", "story"),
    r.StoryRetryRequested: ("story_retried", "story"),
    r.StoryAdded: ("story_added", "story"),
    r.StoryEdited: ("story_edited", "story"),
    r.StoriesReordered: ("stories_reordered", "stories"),
    r.StoryUndoRequested: ("undo_requested", "story"),
    r.StoryUndone: ("story_undone", "story"),
    r.UndoRefused: ("undo_refused", "reason"),
    f.StoryReopened: ("story_reopened", ""),
    f.StoryPaused: ("story_paused", ""),
    f.StoryUnpaused: ("story_unpaused", ""),
    f.WorkspacePrepared: ("workspace_prepared", ""),
    f.StepStarted: ("step_started", "agent"),
    f.StepCompleted: ("step_completed", "notes"),
    f.StepFailed: ("step_failed", "error"),
    f.StepCancelled: ("step_cancelled", "error"),
    f.StepInterrupted: ("step_interrupted", ""),
    f.StepYielded: ("step_yielded", ""),
    w.StepDeferred: ("step_deferred", "reason"),
    b.StepCutShort: ("step_cut_short", ""),
    r.LimitsRaised: ("limits_raised", ""),
    r.OptionsChanged: ("options_changed", ""),
    w.WaitEnded: ("wait_ended", ""),
    f.WorkflowEdited: ("steps_edited", "by"),
    f.WorkflowEditRejected: ("edit_rejected", "reason"),
    f.StepRouted: ("step_routed", "value"),
    f.QuestionAsked: ("question_asked", "question"),
    f.StoryHeld: ("story_held", "detail"),
    f.StoryReleased: ("story_answered", "answer"),
    f.LandingRequested: ("landing_requested", "inspection"),
    CandidateVerified: ("gates_passed", "report"),
    CandidateFailed: ("gates_failed", "report"),
    f.LandingRefused: ("landing_refused", "detail"),
    LandingWithdrawn: ("landing_withdrawn", ""),
    f.WorkRefused: ("work_refused", "detail"),
    f.MendingPlanned: ("repair_planned", "description"),
    f.LandingAccepted: ("landed", "ref"),
    f.StoryFailed: ("story_failed", "reason"),
    r.RunEnded: ("run_ended", "status"),
}
"""The facts that are told, the name by which programs know them, and the field that holds what was said."""

OTHERWISE: Final[dict[type[f.Fact], tuple[str, str, str]]] = {
    r.SpecTicked: ("cleared", "spec_cleared", "cleared"),
    f.LandingRefused: ("unapproved", "approval_due", "detail"),
}
"""Those that are told in other words where a field says something."""


def _untold(fact: f.Fact) -> bool:
    """Whether nothing has come of it that anybody could look up: no story of these stands in the spec."""
    return isinstance(fact, r.SpecTicked) and not fact.ticked and not fact.cleared


def _change(fact: f.Fact, story: StoryState) -> Change:
    event, said = EVENTS[type(fact)]
    field, *otherwise = OTHERWISE.get(type(fact), ("", event, said))
    if getattr(fact, field, None):
        event, said = otherwise
    step = story.pipeline.find(StepId(getattr(fact, "step", "")))
    text = getattr(fact, said) if said else ""
    if isinstance(fact, f.StepStarted) and story.assignment and fact.agent == story.assignment.agent:
        text = ""  # only who goes on in another's place is news
    if isinstance(fact, f.LandingRefused):
        text = for_people(fact.detail)
    return Change(
        at=fact.at,
        event=event,
        # What is not in a story's own stream is a run's, or about somebody's request to land.
        story=story.given.story.id if story.assignment else requested_by(getattr(fact, "request", ""))[1],
        step=step.id if step else "",
        type=step.type if step else "",
        name=step.name if step else "",
        attempt=getattr(fact, "attempt", 0),
        text=_spelled(text),
        proof=after_landed(proof_of(story)) if isinstance(fact, f.LandingAccepted) else "",
        until=fact.until if isinstance(fact, w.StepDeferred) and fact.until > fact.at else None,
    )


def _spelled(said: object) -> str:
    match said:
        case GateReport():
            return _judged(said)
        case Inspection():
            return f"tests: {said.told}" if said.told else ""
        case RunPlan():
            return said.spec.title
        case Story():
            return f"{said.id} {said.title}"
        case tuple():
            return ", ".join(map(str, said))
        case _:
            return str(said)


def _judged(report: GateReport) -> str:
    judged = (
        f"{one.name}{' with the tests of the base' if one.restored else ''} "
        f"{'passed' if one.passed else 'failed'} in {one.seconds:.1f} s"
        f"{' (blind: proved nothing)' if one.blind else ''}"
        for one in report.results
    )
    return ", ".join(judged) or "there are no gates"
