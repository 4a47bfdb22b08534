"""What a run would send first, without sending it: the same decisions and the same prompts, and nothing performed."""

from collections.abc import Iterator
from dataclasses import dataclass

from shiftwork.app.commands import Order, opening
from shiftwork.app.kinds import RUN, STORY
from shiftwork.app.world import Conduct
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.ids import Commit, RunId
from shiftwork.domain.model.run import RunState
from shiftwork.domain.model.workflow import StepKind
from shiftwork.domain.rules.spec_gates import gates_of_run
from shiftwork.prompts.context import Surroundings, compose

_RUN = RunId("rehearsal")
_NOWHERE = Commit("0" * 40)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The prompt of one step; empty where the harness or a person does that step."""

    story: str
    step: str
    kind: StepKind
    prompt: str


def rehearse(order: Order, conduct: Conduct, *, tools: bool) -> tuple[Line, ...]:
    """The first step of everything that would be begun at once."""
    run = RUN.fold(RUN.start, opening(order, _RUN, 0.0))
    known = Surroundings(gates=conduct.gates, tools=tools)
    return tuple(_line(run, effect, known) for effect in _begun(run))


def _begun(run: RunState) -> Iterator[e.DispatchStory]:
    while kept := [effect for effect in RUN.decide(run) if isinstance(effect, e.KeepMemory)]:
        run = RUN.fold(run, (r.MemoryKept(at=0.0, changes=effect.changes) for effect in kept))
    yield from (effect for effect in RUN.decide(run) if isinstance(effect, e.DispatchStory))


def _line(run: RunState, effect: e.DispatchStory, known: Surroundings) -> Line:
    given = effect.assignment
    prepared = f.WorkspacePrepared(at=0.0, number=1, base=_NOWHERE, head=_NOWHERE)
    story = STORY.fold(STORY.start, (f.StoryStarted(at=0.0, assignment=given, steps=effect.steps), prepared))
    step = story.pipeline.steps[0]
    around = Surroundings(
        gates=gates_of_run(known.gates, given.gates, given.without_gates),
        tools=known.tools,
        branch=given.branch,
        memory=run.memory,
        remaining=len(run.stories) - 1,
    )
    prompt = compose(story, step, around) if step.kind is StepKind.AGENT else ""
    return Line(story=given.story.id, step=step.name, kind=step.kind, prompt=prompt)
