"""An ordered run: whatever its stories come to and people ask, one story at a time, in the order of the run."""

from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule, run_state_machine_as_test

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.scheduling import held_by, scheduled
from shiftwork.domain.run.state import RUN_ENDED, RunState
from shiftwork.domain.run.steering.intent_checks import next_story_id
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import ENDED, StoryStatus
from shiftwork.testing.builders import asked, ordered_run
from shiftwork.testing.strategies import QUICK
from tests.properties.test_run_graph import idle_rows, needs, of_status
from tests.properties.test_steering import Steered

BROKEN = (StoryStatus.FAILED, StoryStatus.UNDONE)
"""Without these, the later stories do not start. A cancelled story is wanted by nobody but those that name it."""


@st.composite
def independent_stories(draw: st.DrawFn) -> tuple[Story, ...]:
    """Any number, in any order of priority."""
    priorities = draw(st.lists(st.integers(0, 3), min_size=1, max_size=12))
    return tuple(
        replace(asked(number), priority=priority, complexity=1 + number % 5)
        for number, priority in enumerate(priorities, start=1)
    )


class Ordered(Steered):
    """As any steered run, but nobody wrote how many stories at once."""

    @initialize(stories=independent_stories(), parallel=st.booleans())
    def start(self, stories: tuple[Story, ...], parallel: bool) -> None:  # noqa: FBT001 - hypothesis passes it by name
        self.run = ordered_run(*stories, keep_going=parallel)
        self.rows = idle_rows(RunState(), self.run)

    def wanted_next(self) -> StoryId | None:
        """The first story by the user's order, priority and position whose dependencies have landed; None if an earlier
        story is missing. One that needs a cancelled story never starts, and nobody waits for it.
        """
        plan, first = self.run.given, self.run.requests.first
        left = list(plan.spec.stories)
        done: set[StoryId] = set()
        while left:
            able = [story for story in left if set(story.depends_on) <= done] or left
            key = {story: number for number, story in enumerate(first)}
            chosen = min(able, key=lambda story: (key.get(story.id, len(first)), story.priority))
            status = self.run.stories[chosen.id].status
            if status in {StoryStatus.UNCLAIMED, StoryStatus.BLOCKED}:
                ready = set(chosen.depends_on) <= of_status(self.run, StoryStatus.COMPLETED)
                if ready:
                    return chosen.id
                if not plan.keep_going and not self.needs_a_cancelled_story(chosen.id):
                    return None
            if status in BROKEN and not plan.keep_going:
                return None
            left.remove(chosen)
            done.add(chosen.id)
        return None

    def needs_a_cancelled_story(self, story: StoryId) -> bool:
        needed = {story.id: story.depends_on for story in self.run.given.spec.stories}
        left, seen = [*needed[story]], set[StoryId]()
        while left:
            seen.add(name := left.pop())
            left += set(needed.get(name, ())) - seen
        return not seen.isdisjoint(of_status(self.run, StoryStatus.CANCELLED))

    @rule()
    def go_on(self) -> None:
        """A story starts only if none is in progress, none is being reverted, and it is next."""
        for effect in decide_run(self.run):
            if isinstance(effect, run_effects.DispatchStory):
                assert not self.run.schedule.in_progress
                assert not self.run.requests.undoing
                assert effect.assignment.story.id == self.wanted_next()
        super().go_on()

    @rule(data=st.data(), waiting=st.booleans())
    @precondition(lambda self: self.run.schedule.in_progress)
    def one_waits_for_a_person(self, data: st.DataObject, waiting: bool) -> None:  # noqa: FBT001 - a rule's parameter
        story = self.story(data, StoryStatus.IN_PROGRESS)
        self.announce(run_facts.StoryWaits(at=1, story=story, waiting=waiting))

    @rule(data=st.data(), priority=st.integers(0, 3))
    def one_is_added_with_a_priority(self, data: st.DataObject, priority: int) -> None:
        name = next_story_id(self.run.given.spec.stories)
        needed = data.draw(st.lists(st.sampled_from(sorted(self.run.stories)), max_size=1))
        story = replace(asked(1), id=name, priority=priority, depends_on=tuple(needed))
        self.announce(run_facts.StoryAdded(at=1, story=story))

    @rule()
    def the_user_lets_it_keep_going(self) -> None:
        self.announce(run_facts.OptionsChanged(at=1, keep_going=True))

    @rule()
    def the_settings_change(self) -> None:
        self.announce(run_facts.OptionsChanged(at=1, parallel=7))

    @rule(data=st.data())
    def some_are_put_first(self, data: st.DataObject) -> None:
        first = tuple(data.draw(st.lists(st.sampled_from(sorted(self.run.stories)), max_size=4, unique=True)))
        self.announce(run_facts.StoriesReordered(at=1, stories=first))

    @invariant()
    def at_most_one_is_in_progress(self) -> None:
        if self.run.plan is not None:
            assert self.run.given.ordered
            assert len(self.run.schedule.in_progress) <= 1

    @invariant()
    def at_most_so_many_run_and_no_two_in_one_slot(self) -> None:
        assert set(self.run.schedule.in_progress.values()) <= {0}

    @invariant()
    def every_story_that_is_left_but_the_first_waits_for_another(self) -> None:
        if self.run.plan is not None and self.run.given.keep_going:
            left = [story for story, known in self.run.stories.items() if known.status not in ENDED]
            assert len(held_by(self.run)) == max(len(left) - 1, 0)

    @invariant()
    def blocked_is_exactly_what_needs_a_failed_story(self) -> None:
        """And, unless the run keeps going, what comes after one."""
        if self.run.plan is None:
            return
        rank, broken = self.run.graph.rank, of_status(self.run, *BROKEN)
        missing = broken | of_status(self.run, StoryStatus.CANCELLED)
        first = min((rank[story] for story in broken), default=len(rank))
        for story in of_status(self.run, StoryStatus.UNCLAIMED, StoryStatus.BLOCKED):
            behind = not self.run.given.keep_going and rank[story] > first
            blocked = story in self.run.schedule.blocked
            assert blocked == (behind or self.needs_one_of(missing, story))

    def needs_one_of(self, missing: set[StoryId], story: StoryId) -> bool:
        edges = needs(self.run)
        return any(needed in missing or self.needs_one_of(missing, needed) for needed in edges[story])

    @invariant()
    def what_is_kept_up_is_what_could_be_worked_out(self) -> None:
        if self.run.plan is not None:
            assert scheduled(self.run) == self.run

    def teardown(self) -> None:
        if self.run.plan is not None and self.run.status not in RUN_ENDED:
            self.the_user_lets_it_keep_going()
        super().teardown()


def test_an_ordered_run_works_on_one_story_at_a_time_in_its_order() -> None:
    run_state_machine_as_test(Ordered, settings=settings(QUICK, max_examples=40, stateful_step_count=40))
