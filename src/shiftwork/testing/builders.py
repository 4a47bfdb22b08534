"""Builders of plans, states and facts: a test sets the values it is about, the rest are defaults."""

from typing import Any

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, RunId, StepId, StoryId, landing_stream, story_stream
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.domain.landing.evolve import evolve_queue
from shiftwork.domain.landing.state import LandingRequest, QueueState
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RunPlan, RunState
from shiftwork.domain.spec.spec import Criterion, Spec, Story
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.workflow import DYNAMIC, StepKind, StepPlan, Workflow, catalogue_step
from shiftwork.records import replace

RUN = RunId("r1")
BASE = Commit("base-1")
LANDING = landing_stream("repository", "main")


# Plans -----------------------------------------------------------------------------------------------------------


def asked(number: int = 1, *, after: tuple[int, ...] = (), may_be_empty: bool = False) -> Story:
    """The story `US-<number>`, which depends on the stories with the numbers in `after`."""
    return Story(
        id=story_id(number),
        title=f"Story {number}",
        description=f"Do what story {number} says",
        criteria=(Criterion(id="AC-1", text="It is done"),),
        depends_on=tuple(story_id(other) for other in after),
        may_be_empty=may_be_empty,
    )


def story_id(number: int) -> StoryId:
    return StoryId(f"US-{number:03d}")


def planned(step_type: str, kind: StepKind = StepKind.AGENT, **changes: Any) -> StepPlan:
    """A step of a workflow: from the catalogue if it has a row with that name, else a step type of the workflow
    itself.
    """
    if step_type in CATALOGUE:
        row = catalogue_step(step_type)
        changes = {"description": row.description, "minutes": row.minutes, **changes}
    return StepPlan(name=step_type, type=step_type, kind=kind, **changes)


def workflow(*steps: StepPlan) -> Workflow:
    """A workflow whose stories run these steps."""
    loop = StepPlan(name="stories", type="stories", kind=StepKind.LOOP, body=steps)
    return Workflow(id="made-up", version=1, steps=(loop,))


def run_plan(
    *stories: Story, parallel: int = 1, limits: Limits | None = None, steps: Workflow = DYNAMIC, source: str = ""
) -> RunPlan:
    return RunPlan(
        run=RUN,
        spec=Spec(title="Work", description="What there is to do", stories=stories or (asked(),)),
        workflow=steps,
        branch="main",
        landing=LANDING,
        agent="scripted",
        limits=limits or Limits(),
        parallel=parallel,
        source=source,
    )


def assignment(story: Story | None = None, limits: Limits | None = None) -> Assignment:
    return Assignment(
        run=RUN,
        story=story or asked(),
        position=0,
        requirements=("Keep it simple",),
        branch="main",
        landing=LANDING,
        agent="scripted",
        limits=limits or Limits(),
    )


# States ----------------------------------------------------------------------------------------------------------


def fold_story(story: StoryState, *facts: Fact) -> StoryState:
    for fact in facts:
        story = evolve_story(story, fact)
    return story


def fold_run(run: RunState, *facts: Fact) -> RunState:
    for fact in facts:
        run = evolve_run(run, fact)
    return run


def fold_queue(queue: QueueState, *facts: Fact) -> QueueState:
    for fact in facts:
        queue = evolve_queue(queue, fact)
    return queue


def started_run(*stories: Story, parallel: int = 1) -> RunState:
    return fold_run(RunState(), run_facts.RunStarted(at=1, plan=run_plan(*stories, parallel=parallel)))


def ordered_run(*stories: Story, keep_going: bool = False) -> RunState:
    """A run whose user wrote nothing about how many stories at once."""
    plan = replace(run_plan(*stories, parallel=3), ordered=True, keep_going=keep_going)
    return fold_run(RunState(), run_facts.RunStarted(at=1, plan=plan))


def kept(run: RunState) -> RunState:
    """The run after its notebook shows its complete memory."""
    return fold_run(run, run_facts.MemoryKept(at=1, changes=run.memory.changes))


def changed_step(step: Step, **changes: object) -> Step:
    """The step with other values, in its plan and in its own fields."""
    planned_fields = {name: value for name, value in changes.items() if name in StepPlan.__dataclass_fields__}
    own = {name: value for name, value in changes.items() if name not in planned_fields}
    return replace(step, plan=replace(step.plan, **planned_fields), **own)  # type: ignore[arg-type]


def started_story(*steps: StepPlan | str, limits: Limits | None = None) -> StoryState:
    """A story in progress whose workspace is ready; with the given steps, or the ten of the catalogue."""
    plans = tuple(planned(step) if isinstance(step, str) else step for step in steps) or DYNAMIC.story_steps
    return fold_story(
        StoryState(),
        story_facts.StoryStarted(at=1, assignment=assignment(limits=limits), steps=plans),
        story_facts.WorkspacePrepared(at=2, number=1, base=BASE, head=BASE),
    )


def after_steps(story: StoryState, count: int) -> StoryState:
    """The story after its next `count` steps are completed, each in one attempt."""
    for _ in range(count):
        story = fold_story(story, began(story))
        story = fold_story(story, done(story))
    return story


def landing_asked(*steps: StepPlan | str, limits: Limits | None = None) -> StoryState:
    """A story with all steps completed that waits for its landing."""
    story = started_story(*steps, limits=limits)
    story = after_steps(story, len(story.pipeline.steps))
    return fold_story(story, story_facts.LandingRequested(at=90, number=1, tip=story.work.head))


def given_back(story: StoryState, *differs: str) -> StoryState:
    """A story that has requested to land, whose gates have passed, and whose patch needs a person's approval."""
    number = story.landing.requests + 1
    asked = story_facts.LandingRequested(at=90, number=number, tip=story.work.head)
    detail = "the patch has changed" if differs else ""
    refused = story_facts.LandingRefused(
        at=91,
        cause=Refusal.APPROVAL,
        detail=detail,
        files=differs,
        base=story.work.base,
        candidate=Commit(f"candidate-{number}"),
    )
    return fold_story(story, asked, refused)


def next_effect(story: StoryState) -> e.Effect:
    """The only effect that the story requests."""
    (effect,) = decide_story(story)
    return effect


def conclusion(story: StoryState) -> Fact:
    """The only fact that follows from the story's state alone."""
    effect = next_effect(story)
    if not isinstance(effect, e.Conclude):
        raise TypeError(f"the story asks for {effect}")
    (fact,) = effect.facts
    return fact


def concluded(story: StoryState) -> StoryState:
    return fold_story(story, conclusion(story))


# Facts of the story's current step: `began` starts its next attempt, the others end the attempt in progress ----------


def _now(story: StoryState) -> tuple[StepId, int]:
    step = story.pipeline.current
    if step is None:
        raise LookupError("no step is left to run")
    return step.id, step.attempts


def began(story: StoryState) -> story_facts.StepStarted:
    step, attempts = _now(story)
    return story_facts.StepStarted(
        at=10, step=step, attempt=attempts + 1, commit=story.work.head, log=f"logs/{step}.jsonl"
    )


def done(story: StoryState, usage: Usage = NOTHING_USED, **changes: Any) -> story_facts.StepCompleted:
    step, attempt = _now(story)
    given = {"commit": Commit(f"{step}.{attempt}"), "notes": f"{step} is done", "outputs": (), **changes}
    return story_facts.StepCompleted(at=20, step=step, attempt=attempt, usage=usage, **given)


def failed(
    story: StoryState, trouble: story_facts.Trouble = story_facts.Trouble.CRASHED, usage: Usage = NOTHING_USED
) -> story_facts.StepFailed:
    step, attempt = _now(story)
    return story_facts.StepFailed(
        at=20, step=step, attempt=attempt, trouble=trouble, error=f"it {trouble}", usage=usage, diff=""
    )


def cancelled(
    story: StoryState, trouble: story_facts.Trouble = story_facts.Trouble.TIMED_OUT
) -> story_facts.StepCancelled:
    step, attempt = _now(story)
    return story_facts.StepCancelled(
        at=20, step=step, attempt=attempt, trouble=trouble, error=f"it {trouble}", usage=NOTHING_USED, diff=""
    )


def interrupted(story: StoryState) -> story_facts.StepInterrupted:
    step, attempt = _now(story)
    return story_facts.StepInterrupted(at=20, step=step, attempt=attempt, diff="")


# Facts of a landing queue ----------------------------------------------------------------------------------------


def landing_request(number: int = 1, story: int = 1) -> LandingRequest:
    wanted = story_id(story)
    return LandingRequest(
        run=RUN,
        story=wanted,
        number=number,
        stream=story_stream(RUN, wanted),
        tip=Commit(f"tip-{number}"),
        title="Story",
        body="",
    )


def gate_report(commit: Commit, *, passed: bool = True, seconds: float = 1.5) -> GateReport:
    result = GateResult(name="test", passed=passed, seconds=seconds, output="said")
    return GateReport(commit=commit, results=(result,))
