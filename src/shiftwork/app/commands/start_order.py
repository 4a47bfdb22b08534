"""How the stories of a run will start: one after the other, or as their dependencies allow."""

from shiftwork.app.commands.runs import Order, opening
from shiftwork.app.folds import RUN
from shiftwork.domain.core.ids import RunId
from shiftwork.domain.run.scheduling import to_start
from shiftwork.domain.spec.spec import states_dependencies
from shiftwork.planning.preview import StartOrder


def start_order(order: Order) -> StartOrder:
    run = RUN.fold(RUN.start, opening(order, RunId("preview"), 0.0))
    left = [story for story in order.spec.stories if story.id not in order.done]
    ordered = order.ordered and not states_dependencies(order.spec.stories, order.base_story)
    return StartOrder(
        ordered=ordered,
        planned=any(step.plans for step in order.workflow.frame),
        stories=tuple(sorted((story.id for story in left), key=run.graph.rank.__getitem__)),
        stating=sum(states_dependencies((story,), order.base_story) for story in left),
        free=len(to_start(run, 1 if ordered else max(len(left), 1))),
        at_once=len(to_start(run, 1 if ordered else order.parallel)),
    )
