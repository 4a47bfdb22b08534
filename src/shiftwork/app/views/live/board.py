"""The live state of a run: facts folded into the state of each story, and one line for each change."""

from collections.abc import Mapping
from typing import Final

from shiftwork.app.folds import RUN, STORY
from shiftwork.app.runtime.context import GateBegun, Sighting
from shiftwork.app.views.text.people_words import answer_word, edited
from shiftwork.domain.core.effect import Receive
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StepId, StoryId, Stream
from shiftwork.domain.gates.gate import GateReport
from shiftwork.domain.landing.facts import CandidateFailed, CandidateVerified
from shiftwork.domain.landing.state import requested_by
from shiftwork.domain.proof.proof_words import after_landed
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunPlan, RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.certify import proof_of
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.facts.withdrawal import LandingWithdrawn
from shiftwork.domain.story.notices import notice_of_hold
from shiftwork.domain.story.routing import route_for
from shiftwork.domain.story.spending.attempt_usage import ENDS
from shiftwork.domain.story.state import Hold, HoldCause, StoryState
from shiftwork.domain.tampering.findings import Inspection
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.domain.workflow.rounds import rounds_of
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.ports.agent import AgentEvent, EventKind
from shiftwork.prompts.answer.result import is_assumed
from shiftwork.records import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change that gets a line: `event` names it for programs, `text` is its text, not sanitized. `until` is when a
    wait ends. `proof` says how far a landed story is proved. `word` is the verb for people where one event has several.
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
    word: str = ""


@dataclass(slots=True, kw_only=True)
class Board:
    """A run, its started stories by their streams, the last activity of each agent, the gate that each story waits
    for, and all changes so far. `meant` is whether commands without a run id refer to this run. `red` has the commit on
    which the gates last failed for a landing request: on the same commit they run again, because they may be flaky.
    """

    run: RunState = RUN.start
    stories: dict[Stream, StoryState] = field(default_factory=dict)
    doing: dict[Stream, AgentEvent] = field(default_factory=dict)
    gates: dict[Stream, GateBegun] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    meant: bool = True
    red: dict[str, str] = field(default_factory=dict)

    def see(self, sighting: Sighting) -> Change | None:
        """Records a sighting; returns the change, if it is one."""
        stream, what = sighting.stream, sighting.what
        if isinstance(what, AgentEvent):
            if (what.text or what.tool) and what.kind not in _NO_ACTIVITY:
                self.doing[stream] = what
            return None
        if isinstance(what, GateBegun):
            self.gates[stream] = what
            return None
        self.gates.pop(stream, None)  # a recorded fact ends the wait for a gate
        asked = self.stories.get(stream, STORY.start).asks
        if stream.startswith("story/"):
            self.stories[stream] = STORY.evolve(self.stories.get(stream, STORY.start), what)
        elif stream.startswith("run/"):
            self.run = RUN.evolve(self.run, what)
        if isinstance(what, ENDS):
            self.doing.pop(stream, None)
        change = change_of(what, self.stories.get(stream, STORY.start), asked)
        if change is None:
            return None
        change = self._compared(change, what)
        self.changes.append(change)
        return change

    def _compared(self, change: Change, fact: Fact) -> Change:
        """Names a rerun of gates a rerun, so that it does not look like the same failure twice."""
        if not isinstance(fact, CandidateVerified | CandidateFailed):
            return change
        commit, before = fact.report.commit, self.red.pop(fact.request, "")
        if isinstance(fact, CandidateFailed):
            self.red[fact.request] = commit
        return replace(change, text=f"rerun, {change.text}") if before == commit else change

    @property
    def asked(self) -> Mapping[Stream, Hold]:
        """The holds that need a person, by story."""
        return {stream: story.asks for stream, story in self.stories.items() if story.asks}

    @property
    def held(self) -> bool:
        """Whether a person must act before any started story continues. A story that has not yet reported its end to
        the run counts as moving; the run's own steps do not count while they wait for the stories.
        """
        in_progress = [story for story in self.stories.values() if not story.outcome.reported and not _loops(story)]
        return bool(in_progress) and all(story.asks and not notice_of_hold(story) for story in in_progress)

    @property
    def idle(self) -> bool:
        """Whether no started story does anything until a message comes. Attempts in progress count as moving."""
        started = (story for story in self.stories.values() if not story.outcome.reported and not _loops(story))
        return all(_waits(story) for story in started)

    @property
    def waiting(self) -> frozenset[StoryId]:
        """The stories that wait for a person and leave their place to others."""
        held = (story for story in self.stories.values() if story.asks and story.asks.cause is not HoldCause.LIMIT)
        return frozenset(story.given.story.id for story in held)


def _waits(story: StoryState) -> bool:
    step = story.pipeline.current
    if step and step.status is StepStatus.IN_PROGRESS:
        return False
    return all(isinstance(effect, Receive) for effect in decide_story(story))


def _loops(story: StoryState) -> bool:
    step = story.pipeline.current
    return step is not None and step.plan.kind is StepKind.LOOP and step.status is StepStatus.IN_PROGRESS


_NO_ACTIVITY: Final = frozenset({EventKind.USAGE, EventKind.TOOL_END})
"""A count, and the output of a tool, of which the start was shown."""

EVENTS: Final[dict[type[Fact], tuple[str, str]]] = {
    run_facts.RunStarted: ("run_started", "plan"),
    run_facts.StoryAdopted: ("story_adopted", "story"),
    run_facts.LandedSought: ("landed_missing", "missing"),
    run_facts.SpecUpdated: ("spec_updated", "marked"),
    run_facts.SpecUpdateFailed: ("spec_update_failed", "reason"),
    run_facts.RunPaused: ("run_paused", ""),
    run_facts.RunUnpaused: ("run_unpaused", ""),
    run_facts.StoryCancellationRequested: ("story_cancelled", "story"),
    run_facts.StoryDismissalRequested: ("story_dismissed", "story"),
    run_facts.StoryRetryRequested: ("story_retried", "story"),
    run_facts.StoryAdded: ("story_added", "story"),
    run_facts.StoryEdited: ("story_edited", "story"),
    run_facts.StoriesReordered: ("stories_reordered", "stories"),
    run_facts.StoryUndoRequested: ("undo_requested", "story"),
    run_facts.StoryUndone: ("story_undone", "story"),
    run_facts.UndoRefused: ("undo_refused", "reason"),
    story_facts.StoryReopened: ("story_reopened", ""),
    story_facts.StoryPaused: ("story_paused", ""),
    story_facts.StoryUnpaused: ("story_unpaused", ""),
    story_facts.WorkspacePrepared: ("workspace_prepared", ""),
    story_facts.StepStarted: ("step_started", "agent"),
    story_facts.StepCompleted: ("step_completed", "notes"),
    story_facts.StepFailed: ("step_failed", "error"),
    story_facts.StepCancelled: ("step_cancelled", "error"),
    story_facts.StepInterrupted: ("step_interrupted", ""),
    story_facts.StepYielded: ("step_yielded", ""),
    story_facts.StepDeferred: ("step_deferred", "reason"),
    story_facts.StepCutShort: ("step_cut_short", ""),
    story_facts.SummaryMissed: ("summary_missed", ""),
    run_facts.LimitsRaised: ("limits_raised", ""),
    run_facts.OptionsChanged: ("options_changed", ""),
    story_facts.WaitEnded: ("wait_ended", ""),
    story_facts.WorkflowEdited: ("steps_edited", "by"),
    story_facts.WorkflowEditRejected: ("edit_rejected", "reason"),
    story_facts.StepRouted: ("step_routed", "value"),
    story_facts.QuestionAsked: ("question_asked", "question"),
    story_facts.StoryHeld: ("story_held", "detail"),
    story_facts.StoryReleased: ("story_answered", "answer"),
    story_facts.LandingRequested: ("landing_requested", "inspection"),
    CandidateVerified: ("gates_passed", "report"),
    CandidateFailed: ("gates_failed", "report"),
    story_facts.LandingRefused: ("landing_refused", "detail"),
    LandingWithdrawn: ("landing_withdrawn", ""),
    story_facts.WorkRefused: ("work_refused", "detail"),
    story_facts.RepairPlanned: ("repair_planned", "description"),
    story_facts.LandingAccepted: ("landed", "ref"),
    story_facts.StoryFailed: ("story_failed", "reason"),
    run_facts.RunEnded: ("run_ended", "status"),
}
"""The facts that are shown, their names for programs, and the field with their text."""

OTHERWISE: Final[dict[type[Fact], tuple[str, str, str]]] = {
    run_facts.LandedSought: ("found", "landed_found", "found"),
    run_facts.SpecUpdated: ("cleared", "spec_cleared", "cleared"),
    story_facts.LandingRefused: ("unapproved", "approval_due", "detail"),
    story_facts.StepRouted: ("ended", "rounds_ended", "ended"),
    story_facts.StepInterrupted: ("restarted", "step_restarted", ""),
}
"""Facts with another name and text if a field is set."""


def _is_empty(fact: Fact) -> bool:
    """Whether the fact changed nothing in the spec, because none of these stories is in it."""
    return isinstance(fact, run_facts.SpecUpdated) and not fact.marked and not fact.cleared


def change_of(fact: Fact, story: StoryState, asked: Hold | None = None) -> Change | None:
    """The change that a fact is, with the story after it and what it `asked` before; None if it gets no line."""
    return None if type(fact) not in EVENTS or _is_empty(fact) else _change(fact, story, asked)


def _change(fact: Fact, story: StoryState, asked: Hold | None) -> Change:
    event, said = EVENTS[type(fact)]
    field, *otherwise = OTHERWISE.get(type(fact), ("", event, said))
    if getattr(fact, field, None):
        event, said = otherwise
    step = story.pipeline.find(StepId(getattr(fact, "step", "")))
    text = getattr(fact, said) if said else ""
    if isinstance(fact, story_facts.WorkflowEdited):
        text = edited(fact.by, fact.edits, story.pipeline)
    if isinstance(fact, story_facts.StepStarted) and story.assignment and fact.agent == story.assignment.agent:
        text = ""  # only a fallback agent is news
    if isinstance(fact, story_facts.StepRouted) and step and any(route.adds for route in step.plan.routes):
        stated = step.plan.decision_key in dict(story.dialogue.context) or not step.plan.decision_key
        text = f"{fact.value}{'' if stated else ' (the answer does not say)'}, {_sessions(story)} sessions"
    if isinstance(fact, story_facts.StepRouted) and event == "step_routed" and is_assumed(fact.feedback):
        text = f"{fact.value} (the answer does not say)"
    if event == "rounds_ended" and step and (rounds := rounds_of(story.pipeline, step, route_for(step, step.decision))):
        text = f"{text} (round {rounds.number} of {rounds.most})"
    return Change(
        at=fact.at,
        event=event,
        # Facts outside of a story's own stream belong to the run, or to a landing request.
        story=story.given.story.id if story.assignment else requested_by(getattr(fact, "request", ""))[1],
        step=step.id if step else "",
        type=step.plan.type if step else "",
        name=step.plan.name if step else "",
        attempt=getattr(fact, "attempt", 0) or (step.attempts if step else 0),
        text=_spelled(text),
        proof=after_landed(proof_of(story)) if isinstance(fact, story_facts.LandingAccepted) else "",
        until=fact.until if isinstance(fact, story_facts.StepDeferred) and fact.until > fact.at else None,
        word=_word(fact, asked),
    )


def _word(fact: Fact, asked: Hold | None) -> str:
    if not isinstance(fact, story_facts.StoryReleased):
        return ""
    return answer_word(asked.cause if asked else None, granted=fact.granted)


def _sessions(story: StoryState) -> int:
    """How many sessions the story takes if no step fails."""
    return sum(
        step.plan.kind is StepKind.AGENT and step.status is not StepStatus.SKIPPED for step in story.pipeline.steps
    )


def _spelled(said: object) -> str:
    match said:
        case GateReport():
            return _judged(said)
        case Inspection():
            tests = f"changes to tests: {said.tests_message}" if said.tests_message else ""
            return "; ".join(filter(None, (tests, said.other_message)))
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
        f"{result.name}{' (your original tests against the new code)' if result.restored else ''} "
        f"{'passed' if result.passed else 'failed'} in {result.seconds:.1f} s"
        f"{' (blind: proved nothing)' if result.blind else ''}"
        f"{f': {result.error.sentence}' if result.error else ''}"
        for result in report.results
    )
    others = (f"{gate.name} not needed ({gate.reason})" for gate in report.not_needed)
    return ", ".join((*judged, *others)) or "no gates"
