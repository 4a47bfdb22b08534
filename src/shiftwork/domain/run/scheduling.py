"""Which stories can start, which are blocked and why: kept up with each change of one story.

`scheduled` works it out from all stories. The others change only what one story's news concern, so that a run of a
thousand stories decides as quickly as one of ten; a property holds that both come to the same.
"""

from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.overlap import Claims
from shiftwork.domain.run.state import Graph, RunState, StoryOutcome
from shiftwork.domain.run.steering.base_repair import led
from shiftwork.domain.run.transitions import turn_outcome
from shiftwork.domain.spec import graph as g
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import StoryStatus


def scheduled(run: RunState) -> RunState:
    """The run with all that follows from its spec and its outcomes; a story that is new gets an outcome."""
    asked = run.given.spec.stories
    outcomes = {story.id: run.stories.get(story.id, StoryOutcome()) for story in asked}
    landed = {story for story, known in outcomes.items() if known.status is StoryStatus.COMPLETED}
    lasting = landed - run.requests.undoing.keys()  # nothing is begun on top of what is about to go
    drawn = graph_of(asked, run.requests.first)
    fresh = replace(
        run,
        stories=outcomes,
        graph=drawn,
        schedule=replace(run.schedule, unlanded={story.id: len(set(story.depends_on) - lasting) for story in asked}),
        totals=replace(
            run.totals,
            completed=len(landed),
            failed=sum(known.status is StoryStatus.FAILED for known in outcomes.values()),
        ),
    )
    judged = _judged(fresh, outcomes)
    ready = (story for story in outcomes if could_start(judged, story))
    return replace(judged, schedule=replace(judged.schedule, ready=tuple(sorted(ready, key=drawn.rank.__getitem__))))


def with_stories(run: RunState, stories: tuple[Story, ...]) -> RunState:
    """The run as it continues when it is asked for these stories, and no others: all behind the one that repairs the
    base, where there is one.
    """
    plan = run.given
    first = next((one for one in (*stories, *plan.spec.stories) if one.id == plan.base_story), None)
    wanted = led(stories, first) if first else stories
    return scheduled(replace(run, plan=replace(plan, spec=replace(plan.spec, stories=wanted))))


def graph_of(asked: Sequence[Story], first: Sequence[StoryId]) -> Graph:
    """Those come `first` that people have put there, in their order; then the longest way to the end, because it bounds
    how soon all can be done; then priority; then the order of the spec.
    """
    stories = {story.id: story for story in asked}
    place = {story: number for number, story in enumerate(first)}
    edges = {story.id: story.depends_on for story in stories.values()}
    order = g.in_order(edges)
    length = g.remaining(edges, {story.id: story.complexity for story in stories.values()})
    starting = sorted(
        stories.values(),
        key=lambda story: (place.get(story.id, len(place)), -length.get(story.id, 0.0), story.priority),
    )
    return Graph(
        position={story.id: number for number, story in enumerate(asked)},
        depth={story: number for number, story in enumerate(order)},
        rank={story.id: number for number, story in enumerate(starting)},
        dependents=g.dependents(edges),
        circle=g.find_cycle(edges) if len(order) < len(stories) else (),
    )


def could_start(run: RunState, story: StoryId) -> bool:
    """Whether nobody has begun the story and all that it depends on has landed."""
    known = run.stories.get(story)
    return known is not None and known.status is StoryStatus.UNCLAIMED and not run.schedule.unlanded[story]


def to_start(run: RunState, count: int) -> tuple[StoryId, ...]:
    """The next stories, at most `count`; those that would touch the same files as others at work only if no other can.

    No slot is left empty to keep stories apart: a conflict costs a step, and an empty slot the time of a whole story.
    """
    if count <= 0:
        return ()
    claims = Claims(chain.from_iterable(run.asked(story).touches for story in run.schedule.in_progress))
    apart: list[StoryId] = []
    close: list[StoryId] = []
    for story in run.schedule.ready:
        touches = run.asked(story).touches
        if claims.meet(touches):
            close.append(story)
            continue
        claims.add(touches)
        apart.append(story)
        if len(apart) == count:
            break
    return tuple(islice(chain(apart, close), count))


# News of one story; its outcome has been turned already ---------------------------------------------------------------


def begun(run: RunState, story: StoryId, slot: int) -> RunState:
    ready = tuple(other for other in run.schedule.ready if other != story)
    return replace(
        run, schedule=replace(run.schedule, ready=ready, in_progress={**run.schedule.in_progress, story: slot})
    )


def waits(run: RunState, fact: run_facts.StoryWaits) -> RunState | None:
    """Who waits for a person keeps its slot, and with it ports and names, but lets another story start beside it; once
    it goes on there may be one more at work than asked for, rather than a person's answer that has to wait.
    """
    if fact.story not in run.schedule.in_progress:
        return None
    changed = run.schedule.waiting | {fact.story} if fact.waiting else run.schedule.waiting - {fact.story}
    return replace(run, schedule=replace(run.schedule, waiting=changed))


def landed(run: RunState, story: StoryId) -> RunState:
    unlanded = dict(run.schedule.unlanded)
    for other in run.graph.dependents[story]:
        unlanded[other] -= 1
    grounded = replace(
        made := _without(run, story),
        schedule=replace(made.schedule, unlanded=unlanded),
        totals=replace(made.totals, completed=run.totals.completed + 1),
    )
    freed = (other for other in run.graph.dependents[story] if could_start(grounded, other))
    return _with_ready(grounded, freed)


def failed(run: RunState, story: StoryId) -> RunState:
    """The story may have been called off before anybody began it, or while it was blocked."""
    grounded = replace(made := _without(run, story), totals=replace(made.totals, failed=run.totals.failed + 1))
    return _judged(grounded, _behind(run, story))


def reopened(run: RunState, story: StoryId) -> RunState:
    """A story that had failed may start again once all it depends on is there, and what was blocked by nothing else
    waits for it.
    """
    judged = _judged(replace(run, totals=replace(run.totals, failed=run.totals.failed - 1)), _behind(run, story))
    return _with_ready(judged, (story,) if could_start(judged, story) else ())


def _behind(run: RunState, story: StoryId) -> set[StoryId]:
    return {story} | g.reachable(run.graph.dependents, (story,))


def _without(run: RunState, story: StoryId) -> RunState:
    """Nobody works on the story; it may have landed without anybody having begun it here."""
    ready = tuple(other for other in run.schedule.ready if other != story)
    flying = {other: slot for other, slot in run.schedule.in_progress.items() if other != story}
    return replace(
        run, schedule=replace(run.schedule, ready=ready, in_progress=flying, waiting=run.schedule.waiting - {story})
    )


def _with_ready(run: RunState, stories: Iterable[StoryId]) -> RunState:
    ready = list(run.schedule.ready)
    for story in stories:
        insort(ready, story, key=run.graph.rank.__getitem__)
    return replace(run, schedule=replace(run.schedule, ready=tuple(ready)))


# Who is blocked ------------------------------------------------------------------------------------------------------


def _judged(run: RunState, concerned: Iterable[StoryId]) -> RunState:
    """The concerned stories blocked where something stands in their way, and unblocked where nothing does any more."""
    outcomes, blocked = dict(run.stories), dict(run.schedule.blocked)
    behind_all = len(outcomes)
    for story in sorted(concerned, key=lambda story: run.graph.depth.get(story, behind_all)):
        reason = _obstacle(run, story, outcomes, blocked)
        turned = turn_outcome(outcomes[story], Trigger.BLOCK if reason else Trigger.UNBLOCK)
        outcomes[story] = turned or outcomes[story]
        if outcomes[story].status is StoryStatus.BLOCKED:
            blocked[story] = reason
        else:
            blocked.pop(story, None)
    return replace(
        run,
        stories=outcomes,
        schedule=replace(run.schedule, blocked=blocked if blocked != run.schedule.blocked else run.schedule.blocked),
    )


def _obstacle(run: RunState, story: StoryId, outcomes: dict[StoryId, StoryOutcome], blocked: dict[StoryId, str]) -> str:
    """Why the story can never start as things are; a story that comes to stand behind a blocked one says the same."""
    if story not in run.graph.depth:
        return "depends on a circle: " + " → ".join((*run.graph.circle, run.graph.circle[0]))
    for needed in run.asked(story).depends_on:
        known = outcomes.get(needed)
        if known is None:
            return f"depends on {needed}, which is not in the spec"
        if known.status is StoryStatus.FAILED:
            return f"depends on {needed}, which failed"
        if known.status is StoryStatus.UNDONE:
            return f"depends on {needed}, which was undone"
        if known.status is StoryStatus.BLOCKED:
            return blocked[needed]
    return ""
