"""How the stories of a run will start: one after the other, or as their dependencies allow."""

from shiftwork.app.commands.runs import Order, opening
from shiftwork.app.runtime.streams import RUN
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.run.scheduling import to_start
from shiftwork.domain.spec.spec import states_dependencies
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StartOrder:
    """`stories` are those that are not done, the first to start first; `stating` says how many of them state what they
    depend on, and `at_once` how many start at first. If the run is `planned`, its own steps may plan other stories.
    """

    ordered: bool
    planned: bool
    stories: tuple[StoryId, ...]
    stating: int
    at_once: int


def start_order(order: Order) -> StartOrder:
    run = RUN.fold(RUN.start, opening(order, RunId("preview"), 0.0))
    left = [story for story in order.spec.stories if story.id not in order.done]
    ordered = order.ordered and not states_dependencies(order.spec.stories, order.base_story)
    return StartOrder(
        ordered=ordered,
        planned=any(step.plans for step in order.workflow.frame),
        stories=tuple(sorted((story.id for story in left), key=run.graph.rank.__getitem__)),
        stating=sum(states_dependencies((story,), order.base_story) for story in left),
        at_once=len(to_start(run, 1 if ordered else order.parallel)),
    )
