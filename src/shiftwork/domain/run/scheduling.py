"""Which stories can start, and which are blocked and why: updated with each change of a story.

`scheduled` computes it from all stories. The other functions update only what a change of one story affects, so that a
run of a thousand stories decides as quickly as a run of ten; a property test checks that both give the same result.
"""

from bisect import insort
from collections.abc import Iterable
from itertools import chain, islice
from typing import Final

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.overlap import Claims
from shiftwork.domain.run.state import RunState, StoryOutcome
from shiftwork.domain.run.steering.base_repair import led
from shiftwork.domain.run.transitions import turn_outcome
from shiftwork.domain.spec import graph as g
from shiftwork.domain.spec.spec import Story, states_dependencies
from shiftwork.domain.spec.story_graph import graph_of
from shiftwork.domain.story.state import ENDED, StoryStatus
from shiftwork.records import replace


def scheduled(run: RunState) -> RunState:
    """The run with everything derived from its spec and outcomes; a new story gets an outcome."""
    asked = run.given.spec.stories
    outcomes = {story.id: run.stories.get(story.id, StoryOutcome()) for story in asked}
    landed = {story for story, known in outcomes.items() if known.status is StoryStatus.COMPLETED}
    lasting = landed - run.requests.undoing.keys()  # no story starts on top of work that will be reverted
    drawn = graph_of(asked, run.requests.first, ordered=run.given.ordered)
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
    """The run with exactly these stories. If a story repairs the base, all others depend on it."""
    plan = run.given
    first = next((story for story in (*stories, *plan.spec.stories) if story.id == plan.base_story), None)
    wanted = led(stories, first) if first else stories
    return scheduled(replace(run, plan=replace(plan, spec=replace(plan.spec, stories=wanted))))


def decided(run: RunState, stories: tuple[Story, ...]) -> RunState:
    """The run with the stories that it begins with: whether it is ordered is decided now, and stays when stories are
    added or changed later.
    """
    plan = run.given
    ordered = plan.ordered and not states_dependencies(stories, plan.base_story)
    return with_stories(replace(run, plan=replace(plan, ordered=ordered)), stories)


def could_start(run: RunState, story: StoryId) -> bool:
    """Whether the story has not started and everything that it depends on has landed."""
    known = run.stories.get(story)
    return known is not None and known.status is StoryStatus.UNCLAIMED and not run.schedule.unlanded[story]


def free_places(run: RunState) -> int:
    """How many more stories may start now. A story of an ordered run builds on what those before it have landed, so
    none starts beside another, even if that waits for a person, or before a requested revert has landed.
    """
    schedule = run.schedule
    if run.given.ordered:
        return 0 if schedule.in_progress or run.requests.undoing else 1
    return run.given.parallel - len(schedule.in_progress.keys() - schedule.waiting)


def held_by(run: RunState) -> dict[StoryId, StoryId]:
    """In an ordered run, the story right before each story that is not done: the one that it waits for."""
    if not run.given.ordered:
        return {}
    past = ENDED if run.given.keep_going else {StoryStatus.COMPLETED, StoryStatus.CANCELLED}
    rank, in_progress = run.graph.rank, run.schedule.in_progress
    left = [story for story, known in run.stories.items() if known.status not in past]
    left.sort(key=lambda story: (story not in in_progress, rank[story]))
    return dict(zip(left[1:], left, strict=False))


def to_start(run: RunState, count: int) -> tuple[StoryId, ...]:
    """The next stories, at most `count`; stories that touch the same files as others in progress come last.

    No slot is left empty to keep stories apart: a conflict costs a step, but an empty slot costs the time of a story.
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


# Changes of one story; its outcome has been updated already -----------------------------------------------------------


def begun(run: RunState, story: StoryId, slot: int) -> RunState:
    ready = _other(run.schedule.ready, story)
    return replace(
        run, schedule=replace(run.schedule, ready=ready, in_progress={**run.schedule.in_progress, story: slot})
    )


def waits(run: RunState, fact: run_facts.StoryWaits) -> RunState | None:
    """A story that waits for a person keeps its slot, ports and names, but another story may start meanwhile. When it
    continues, more stories than configured may be in progress, so that a person's answer never has to wait.
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
    """Records that the story has ended without landing: it failed or was cancelled, perhaps before it started."""
    if run.given.ordered:
        return scheduled(_without(run, story))
    failed = run.totals.failed + (run.stories[story].status is StoryStatus.FAILED)
    grounded = replace(made := _without(run, story), totals=replace(made.totals, failed=failed))
    return _judged(grounded, _behind(run, story))


def dismissed(run: RunState, story: StoryId) -> RunState:
    """A failed story counts as cancelled from now on: it is no failure, and in an ordered run nothing waits for it."""
    asked = replace(run, requests=replace(run.requests, dismissed=run.requests.dismissed | {story}))
    if run.given.ordered:
        return scheduled(asked)
    fewer = replace(asked, totals=replace(run.totals, failed=run.totals.failed - 1))
    return _judged(fewer, _behind(run, story) - {story})


def reopened(run: RunState, story: StoryId, was: StoryStatus) -> RunState:
    """A retried story may start once its dependencies have landed; stories that only it blocked are unblocked."""
    if run.given.ordered or was is StoryStatus.MISSING:  # what had landed no longer counts
        return scheduled(run)
    failed = run.totals.failed - (was is StoryStatus.FAILED)  # or it was undone
    judged = _judged(replace(run, totals=replace(run.totals, failed=failed)), _behind(run, story))
    return _with_ready(judged, (story,) if could_start(judged, story) else ())


def _behind(run: RunState, story: StoryId) -> set[StoryId]:
    return {story} | g.reachable(run.graph.dependents, (story,))


def _without(run: RunState, story: StoryId) -> RunState:
    """The run without the story in progress or ready; it may have landed without being started in this run."""
    ready = _other(run.schedule.ready, story)
    in_progress = {other: slot for other, slot in run.schedule.in_progress.items() if other != story}
    return replace(
        run,
        schedule=replace(run.schedule, ready=ready, in_progress=in_progress, waiting=run.schedule.waiting - {story}),
    )


def _other(ready: tuple[StoryId, ...], story: StoryId) -> tuple[StoryId, ...]:
    if story not in ready:
        return ready
    place = ready.index(story)
    return (*ready[:place], *ready[place + 1 :])


def _with_ready(run: RunState, stories: Iterable[StoryId]) -> RunState:
    ready = list(run.schedule.ready)
    for story in stories:
        insort(ready, story, key=run.graph.rank.__getitem__)
    return replace(run, schedule=replace(run.schedule, ready=tuple(ready)))


# Blocked stories -----------------------------------------------------------------------------------------------------


def _judged(run: RunState, concerned: Iterable[StoryId]) -> RunState:
    """Blocks those of these stories that have an obstacle, and unblocks those that no longer do."""
    outcomes, blocked = dict(run.stories), dict(run.schedule.blocked)
    behind_all = len(outcomes)
    stopped = _stopped_at(run)
    for story in sorted(concerned, key=lambda story: run.graph.depth.get(story, behind_all)):
        reason = _obstacle(run, story, outcomes, blocked) or _out_of_order(run, story, stopped)
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


def _stopped_at(run: RunState) -> StoryId | None:
    """The first story of an ordered run without which the later ones do not start. Nobody wants a cancelled one any
    more.
    """
    if not run.given.ordered or run.given.keep_going:
        return None
    missing = (story for story, known in run.stories.items() if known.status in _STOPS)
    return min(missing, key=run.graph.rank.__getitem__, default=None)


def _out_of_order(run: RunState, story: StoryId, stopped: StoryId | None) -> str:
    if stopped is None or run.graph.rank[story] <= run.graph.rank[stopped]:
        return ""
    return f"comes after {stopped}, which {_WORDS[run.stories[stopped].status]}"


_WORDS: Final = {
    StoryStatus.FAILED: "failed",
    StoryStatus.CANCELLED: "was cancelled",
    StoryStatus.UNDONE: "was undone",
    StoryStatus.MISSING: "has landed, but is no longer found on the branch; to land it again: shiftwork retry {}",
}
"""What happened to a story that others need and that does not land."""

_STOPS: Final = frozenset({StoryStatus.FAILED, StoryStatus.UNDONE})


def _obstacle(run: RunState, story: StoryId, outcomes: dict[StoryId, StoryOutcome], blocked: dict[StoryId, str]) -> str:
    """Why the story can never start; a story that depends on a blocked story has the same reason."""
    if story not in run.graph.depth:
        return "depends on a cycle: " + " → ".join((*run.graph.cycle, run.graph.cycle[0]))
    for needed in run.asked(story).depends_on:
        known = outcomes.get(needed)
        if known is None:
            return f"depends on {needed}, which is not in the spec"
        if known.status in _WORDS:
            return f"depends on {needed}, which {_WORDS[known.status].format(needed)}"
        if known.status is StoryStatus.BLOCKED:
            return blocked[needed]
    return ""
