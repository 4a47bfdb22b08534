"""A run made of facts alone, for tests of views of a history: it contains everything that can happen to a run."""

from dataclasses import dataclass, field, replace

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.folds import STORY
from shiftwork.app.runtime.streams import RUN_KIND, STORY_KIND
from shiftwork.app.views.history import Account, account
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StepId, run_stream, story_stream
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, StoryState
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.guardrails import PERSON, outline
from shiftwork.testing.builders import (
    BASE,
    LANDING,
    RUN,
    asked,
    assignment,
    began,
    cancelled,
    conclusion,
    done,
    failed,
    gate_report,
    interrupted,
    planned,
    run_plan,
    story_id,
    workflow,
)

LANDED = Commit("1a2b3c4d5e6f7a8b9c0d")
USED = Usage(input_tokens=1200, output_tokens=30, cost_usd=0.25)
STEPS = tuple(planned(name) for name in ("planning", "coding", "review", "final_review"))


@dataclass
class StoryHistory:
    """One story's facts in order, and the state that follows from them."""

    number: int
    slot: int = 0
    state: StoryState = field(default_factory=StoryState)
    facts: list[Fact] = field(default_factory=list)

    def add(self, *facts: Fact) -> None:
        for fact in facts:
            self.facts.append(fact)
            self.state = STORY.evolve(self.state, fact)

    def begin(self, story: story_facts.StoryStarted) -> None:
        self.add(story, story_facts.WorkspacePrepared(at=2, number=1, base=BASE, head=BASE))

    def step(self, **more: object) -> None:
        self.add(began(self.state))
        self.add(done(self.state, USED, **more))

    def edit(self, by: str, *edits: Edit) -> None:
        before = outline(self.state.pipeline)
        self.add(story_facts.WorkflowEdited(at=15, by=by, edits=edits, before=before, after=before))


def _started(number: int, slot: int, after: tuple[int, ...] = ()) -> story_facts.StoryStarted:
    given = replace(assignment(asked(number, after=after)), slot=slot, position=number - 1)
    return story_facts.StoryStarted(at=1_700_000_000.0, assignment=given, steps=STEPS)


def landed_story() -> StoryHistory:
    """Edited by its agent and by a person, refused once, repaired, landed."""
    story = StoryHistory(number=1)
    story.begin(_started(1, 0))
    story.add(began(story.state))
    story.edit(
        "step-001",
        Edit(
            operation=Operation.ADD_AFTER,
            reason="two parts",
            target=StepId("step-002"),
            steps=(NewStep(type="coding", description="the *other* part | <b>"),),
        ),
        Edit(operation=Operation.SKIP, reason="small change", target=StepId("step-003")),
    )
    story.add(story_facts.WorkflowEditRejected(at=16, by="step-001", request="{}", reason="no reason"))
    story.add(done(story.state, USED))
    story.edit(
        PERSON,
        Edit(
            operation=Operation.SPLIT,
            reason="by hand",
            target=StepId("step-002"),
            steps=(NewStep(type="coding", description="a"), NewStep(type="coding", description="b")),
        ),
        Edit(
            operation=Operation.EDIT_DESCRIPTION, reason="clearer", target=StepId("step-005"), description="all of it"
        ),
        Edit(
            operation=Operation.REORDER,
            reason="tests first",
            order=tuple(map(StepId, ("step-007", "step-006", "step-005", "step-004"))),
        ),
    )
    while story.state.pipeline.current:
        story.step(notes="line one\nline two")
    story.add(story_facts.LandingRequested(at=40, number=1, tip=story.state.work.head))
    refused = {"cause": Refusal.CONFLICT, "detail": "they clash", "files": ("a.txt",), "base": BASE}
    story.add(story_facts.LandingRefused(at=41, **refused))  # type: ignore[arg-type]  # one value a field
    story.add(replace(conclusion(story.state), at=42))
    while story.state.pipeline.current:
        story.step()
    story.add(story_facts.LandingRequested(at=50, number=2, tip=story.state.work.head))
    story.add(
        story_facts.LandingAccepted(at=51, commit=LANDED, ref="main"), story_facts.StoryCompleted(at=52, commit=LANDED)
    )
    return story


def failed_story() -> StoryHistory:
    """Interrupted, restarted by itself, timed out, and then failed for good."""
    story = StoryHistory(number=2)
    story.begin(_started(2, 1))
    story.add(began(story.state))
    story.add(replace(interrupted(story.state), diff="/state/diffs/first.diff"))
    story.add(story_facts.WorkspacePrepared(at=22, number=2, base=BASE, head=BASE))
    story.add(began(story.state))
    story.edit(
        "step-001",
        Edit(operation=Operation.RESTART, reason="wrong way", target=StepId("step-001"), description="the right way"),
    )
    restarted = story_facts.StepYielded(
        at=23, step=StepId("step-001"), attempt=2, commit=Commit(""), usage=USED, diff="r.diff"
    )
    story.add(restarted)
    story.add(began(story.state))
    story.add(cancelled(story.state))
    story.add(story_facts.StepRetried(at=24, step=StepId("step-001"), feedback="again"))
    story.add(began(story.state))
    story.add(replace(failed(story.state), diff="/state/diffs/last`.diff"))
    story.add(story_facts.StoryFailed(at=25, cause=FailureCause.STEP, reason="it cannot be done"))
    story.add(story_facts.StepRetried(at=26, step=StepId("step-001"), feedback="too late: this changes nothing"))
    return story


def story_in_progress() -> StoryHistory:
    story = StoryHistory(number=4)
    story.begin(_started(4, 1))
    story.add(began(story.state))
    return story


async def account_of(store: MemoryStore, *, attempts: bool = True) -> Account:
    """The history of the run, written to the store as jobs would write it, or as before there were rows of attempts."""
    stories = (asked(1), asked(2), asked(3, after=(2,)), asked(4), asked(5, after=(4, 1)))
    plan = replace(run_plan(*stories, parallel=2, steps=workflow(*STEPS)), source="prd-json:prd.json")
    run: list[Fact] = [run_facts.RunStarted(at=1_700_000_000.0, plan=plan)]
    for history in (landed_story(), failed_story(), story_in_progress()):
        await _write_story(store, history, attempts=attempts)
        run.append(run_facts.StoryDispatched(at=2, story=story_id(history.number), slot=history.slot))
        if history.state.ended_at is not None:
            run.append(_ended(history))
    state = RUN_KIND.state.fold(RUN_KIND.state.start, run)
    rows = RUN_KIND.rows(RUN_KIND.state.start, state)
    await store.events.append(run_stream(RUN), run, expected=0, key="all", rows=rows)
    await store.events.append(LANDING, _queue(), expected=0, key="all")
    return await account(store.events, RUN)


async def _write_story(store: MemoryStore, history: StoryHistory, *, attempts: bool) -> None:
    stream = story_stream(RUN, story_id(history.number))
    rows = STORY_KIND.rows_of(STORY.start, history.state, history.facts if attempts else ())
    await store.events.append(stream, history.facts, expected=0, key="all", rows=rows)


def _ended(history: StoryHistory) -> run_facts.StoryEnded:
    state = history.state
    return run_facts.StoryEnded(
        at=60,
        story=story_id(history.number),
        status=state.status,
        commit=state.landed_commit,
        reason=state.outcome.reason,
        cause=state.outcome.cause,
        usage=state.spending.usage,
    )


def _queue() -> list[Fact]:
    """What the landing queue has seen, another run's candidates among it."""
    first, other = f"{RUN}/US-001/1", "another/US-001/1"
    flaky = GateResult(name="lint", passed=True, seconds=0.5, flaky=True)
    report = replace(gate_report(LANDED), cached=True)
    return [
        landing_facts.CandidateFailed(at=41, request=first, report=gate_report(Commit("candidate-1"), passed=False)),
        landing_facts.EntryRefused(
            at=42,
            request=first,
            cause=Refusal.GATES,
            detail="red",
            files=(),
            base=BASE,
            report=GateReport(commit=Commit("candidate-2"), results=(flaky,)),
        ),
        landing_facts.EntryRefused(
            at=42, request=first, cause=Refusal.CONFLICT, detail="clash", files=("a",), base=BASE, report=None
        ),
        landing_facts.CandidateVerified(at=50, request=f"{RUN}/US-001/2", report=report),
        landing_facts.CandidateVerified(at=50, request=other, report=gate_report(Commit("not-ours"))),
    ]
