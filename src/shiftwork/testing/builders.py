"""Builders of plans, states and facts: a test names what it is about, and the rest is ordinary."""

from typing import Any

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.catalogue import CATALOGUE
from shiftwork.domain.model.gate import GateReport, GateResult
from shiftwork.domain.model.ids import Commit, RunId, StepId, StoryId, landing_stream, story_stream
from shiftwork.domain.model.queue import LandingRequest, QueueState
from shiftwork.domain.model.run import RunPlan, RunState
from shiftwork.domain.model.spec import Criterion, Spec, Story
from shiftwork.domain.model.story import Assignment, Limits, Refusal, StoryState
from shiftwork.domain.model.usage import NOTHING_USED, Usage
from shiftwork.domain.model.workflow import DYNAMIC, StepKind, StepPlan, Workflow, catalogue_step
from shiftwork.domain.rules.decide_story import decide_story
from shiftwork.domain.rules.evolve_queue import evolve_queue
from shiftwork.domain.rules.evolve_run import evolve_run
from shiftwork.domain.rules.evolve_story import evolve_story

RUN = RunId("r1")
BASE = Commit("base-1")
LANDING = landing_stream("repository", "main")


# Plans -----------------------------------------------------------------------------------------------------------


def asked(number: int = 1, *, after: tuple[int, ...] = (), may_be_empty: bool = False) -> Story:
    """The story `US-<number>`, which depends on those of the numbers in `after`."""
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
    """A step of a workflow: of the catalogue where it has a row of that name, else one of the workflow's own."""
    if step_type in CATALOGUE:
        row = catalogue_step(step_type)
        changes = {"description": row.description, "minutes": row.minutes, **changes}
    return StepPlan(name=step_type, type=step_type, kind=kind, **changes)


def workflow(*steps: StepPlan) -> Workflow:
    """A workflow whose stories go through these steps."""
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


def fold_story(story: StoryState, *facts: f.Fact) -> StoryState:
    for fact in facts:
        story = evolve_story(story, fact)
    return story


def fold_run(run: RunState, *facts: f.Fact) -> RunState:
    for fact in facts:
        run = evolve_run(run, fact)
    return run


def fold_queue(queue: QueueState, *facts: f.Fact) -> QueueState:
    for fact in facts:
        queue = evolve_queue(queue, fact)
    return queue


def started_run(*stories: Story, parallel: int = 1) -> RunState:
    return fold_run(RunState(), r.RunStarted(at=1, plan=run_plan(*stories, parallel=parallel)))


def kept(run: RunState) -> RunState:
    """The run once its notebook shows all that it remembers."""
    return fold_run(run, r.MemoryKept(at=1, changes=run.memory.changes))


def started_story(*steps: StepPlan | str, limits: Limits | None = None) -> StoryState:
    """A story in progress whose workspace is ready; its steps are those given, or the catalogue's ten."""
    plans = tuple(planned(step) if isinstance(step, str) else step for step in steps) or DYNAMIC.story_steps
    return fold_story(
        StoryState(),
        f.StoryStarted(at=1, assignment=assignment(limits=limits), steps=plans),
        f.WorkspacePrepared(at=2, number=1, base=BASE, head=BASE),
    )


def after_steps(story: StoryState, count: int) -> StoryState:
    """The story after its next `count` steps have been completed, each in one attempt."""
    for _ in range(count):
        story = fold_story(story, began(story))
        story = fold_story(story, done(story))
    return story


def landing_asked(*steps: StepPlan | str, limits: Limits | None = None) -> StoryState:
    """A story whose steps are all completed and which waits for its landing."""
    story = started_story(*steps, limits=limits)
    story = after_steps(story, len(story.pipeline.steps))
    return fold_story(story, f.LandingRequested(at=90, number=1, tip=story.head))


def given_back(story: StoryState, *differs: str) -> StoryState:
    """A story that has asked to land, whose gates are green, and whose patch a person is to be asked about."""
    number = story.landings + 1
    asked = f.LandingRequested(at=90, number=number, tip=story.head)
    detail = "the patch has changed" if differs else "no person has approved it yet"
    refused = f.LandingRefused(
        at=91,
        cause=Refusal.APPROVAL,
        detail=detail,
        files=differs,
        base=story.base,
        candidate=Commit(f"candidate-{number}"),
    )
    return fold_story(story, asked, refused)


def next_effect(story: StoryState) -> e.Effect:
    """The one thing that the story asks for."""
    (effect,) = decide_story(story)
    return effect


def conclusion(story: StoryState) -> f.Fact:
    """The one fact that follows from the story's state alone."""
    effect = next_effect(story)
    if not isinstance(effect, e.Conclude):
        raise TypeError(f"the story asks for {effect}")
    (fact,) = effect.facts
    return fact


def concluded(story: StoryState) -> StoryState:
    return fold_story(story, conclusion(story))


# Facts of the story's current step: `began` opens its next attempt, the others end the one under way -----------------


def _now(story: StoryState) -> tuple[StepId, int]:
    step = story.pipeline.current
    if step is None:
        raise LookupError("no step is left to run")
    return step.id, step.attempts


def began(story: StoryState) -> f.StepStarted:
    step, attempts = _now(story)
    return f.StepStarted(at=10, step=step, attempt=attempts + 1, commit=story.head, log=f"logs/{step}.jsonl")


def done(story: StoryState, usage: Usage = NOTHING_USED, **changes: Any) -> f.StepCompleted:
    step, attempt = _now(story)
    given = {"commit": Commit(f"{step}.{attempt}"), "notes": f"{step} is done", "outputs": (), **changes}
    return f.StepCompleted(at=20, step=step, attempt=attempt, usage=usage, **given)


def failed(story: StoryState, trouble: f.Trouble = f.Trouble.CRASHED, usage: Usage = NOTHING_USED) -> f.StepFailed:
    step, attempt = _now(story)
    return f.StepFailed(at=20, step=step, attempt=attempt, trouble=trouble, error=f"it {trouble}", usage=usage, diff="")


def cancelled(story: StoryState, trouble: f.Trouble = f.Trouble.TIMED_OUT) -> f.StepCancelled:
    step, attempt = _now(story)
    return f.StepCancelled(
        at=20, step=step, attempt=attempt, trouble=trouble, error=f"it {trouble}", usage=NOTHING_USED, diff=""
    )


def interrupted(story: StoryState) -> f.StepInterrupted:
    step, attempt = _now(story)
    return f.StepInterrupted(at=20, step=step, attempt=attempt, diff="")


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


def gate_report(commit: Commit, *, passed: bool = True) -> GateReport:
    return GateReport(commit=commit, results=(GateResult(name="test", passed=passed, seconds=1.5, output="said"),))
