"""Shows the first prompts of a run without starting it: same decisions, same prompts, no effects."""

from collections.abc import Iterator

from shiftwork.app.commands.runs import Order, opening
from shiftwork.app.folds import RUN, STORY
from shiftwork.app.runtime.context import WorkPolicy
from shiftwork.app.runtime.streams import RUN_KIND
from shiftwork.domain.core.ids import Commit, RunId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.named_gates import gates_of_run
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.prompts.prompt_parts import Surroundings, compose
from shiftwork.records import dataclass, replace

_RUN = RunId("rehearsal")
_NOWHERE = Commit("0" * 40)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The prompt of a step; empty if Shiftwork or a person does that step."""

    story: str
    step: str
    kind: StepKind
    prompt: str


def rehearse(order: Order, work_policy: WorkPolicy, *, tools: bool) -> tuple[Line, ...]:
    """Returns the first step of each story that the run would start immediately."""
    run = RUN.fold(RUN.start, opening(order, _RUN, 0.0))
    project = order.spec.project or work_policy.project
    known = Surroundings(gates=work_policy.gates, tools=tools, project=project, feature=order.spec.title)
    return tuple(_line(run, effect, known) for effect in _begun(run))


def _begun(run: RunState) -> Iterator[run_effects.DispatchStory]:
    yield from (effect for effect in RUN_KIND.decide(run) if isinstance(effect, run_effects.DispatchStory))


def _line(run: RunState, effect: run_effects.DispatchStory, known: Surroundings) -> Line:
    given = effect.assignment
    prepared = story_facts.WorkspacePrepared(at=0.0, number=1, base=_NOWHERE, head=_NOWHERE)
    story = STORY.fold(STORY.start, (story_facts.StoryStarted(at=0.0, assignment=given, steps=effect.steps), prepared))
    step = story.pipeline.steps[0]
    around = replace(
        known,
        gates=gates_of_run(known.gates, given.gates, given.without_gates),
        branch=given.branch,
        memory=run.memory,
        remaining=len(run.stories) - 1,
    )
    prompt = compose(story, step, around) if step.plan.kind is StepKind.AGENT else ""
    return Line(story=given.story.id, step=step.plan.name, kind=step.plan.kind, prompt=prompt)
