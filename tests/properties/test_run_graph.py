"""A run of many stories with any outcomes: which may start, which are blocked, which slots they hold, how it ends."""

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from shiftwork.app.runtime.projections import run_rows
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.overlap import Claims
from shiftwork.domain.run.scheduling import scheduled, to_start
from shiftwork.domain.run.state import RUN_ENDED, RunState, RunStatus
from shiftwork.domain.spec.graph import reachable
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import ENDED, FailureCause, StoryStatus
from shiftwork.domain.usage.usage import Usage
from shiftwork.ports.views import StoryRow
from shiftwork.testing.builders import asked, kept, started_run
from shiftwork.testing.strategies import QUICK

PATHS = ("src/a.py", "src/b.py", "src/**", "docs/a.md", "tests/*.py")


@st.composite
def many_stories(draw: st.DrawFn) -> tuple[Story, ...]:
    """At least fifty, each on up to two of the ten before it; some say which files they touch."""
    count = draw(st.integers(50, 70))
    back = draw(st.lists(st.lists(st.integers(1, 10), max_size=2), min_size=count, max_size=count))
    touches = draw(st.lists(st.lists(st.sampled_from(PATHS), max_size=1), min_size=count, max_size=count))
    return tuple(
        replace(
            asked(number, after=tuple({number - far for far in back[number - 1] if far < number})),
            complexity=1 + len(back[number - 1]),
            touches=tuple(touches[number - 1]),
        )
        for number in range(1, count + 1)
    )


def ended(story: StoryId, *, landed: bool) -> run_facts.StoryEnded:
    return run_facts.StoryEnded(
        at=1,
        story=story,
        status=StoryStatus.COMPLETED if landed else StoryStatus.FAILED,
        commit=Commit("c") if landed else Commit(""),
        reason="" if landed else "no luck",
        cause=None if landed else FailureCause.STEP,
        usage=Usage(cost_usd=0.5),
    )


def of_status(run: RunState, *statuses: StoryStatus) -> set[StoryId]:
    return {story for story, known in run.stories.items() if known.status in statuses}


def needs(run: RunState) -> dict[StoryId, tuple[StoryId, ...]]:
    return {story.id: story.depends_on for story in run.given.spec.stories}


def idle_rows(before: RunState, after: RunState) -> dict[str, StoryRow]:
    return {row.story: row for row in run_rows(before, after) if isinstance(row, StoryRow)}


class ManyStories(RuleBasedStateMachine):
    """The run does what it decides; its stories land, fail and are tried again as it pleases hypothesis."""

    run = RunState()
    rows: Mapping[str, StoryRow] = {}

    @initialize(stories=many_stories(), parallel=st.integers(1, 8))
    def start(self, stories: tuple[Story, ...], parallel: int) -> None:
        self.run = started_run(*stories, parallel=parallel)
        self.rows = idle_rows(RunState(), self.run)

    def announce(self, fact: Fact) -> None:
        before, self.run = self.run, evolve_run(self.run, fact)
        self.rows = {**self.rows, **idle_rows(before, self.run)}

    @rule()
    def go_on(self) -> None:
        """All that is decided at once is done from one state; each effect must still fit when its turn comes."""
        for effect in decide_run(self.run):
            if isinstance(effect, run_effects.DispatchStory):
                story, slot = effect.assignment.story, effect.assignment.slot
                assert set(story.depends_on) <= of_status(self.run, StoryStatus.COMPLETED)
                assert slot not in self.run.schedule.in_progress.values()
                assert self.run.stories[story.id].status is StoryStatus.UNCLAIMED
                self.announce(run_facts.StoryDispatched(at=1, story=story.id, slot=slot))
                assert self.run.schedule.in_progress[story.id] == slot
            elif isinstance(effect, run_effects.KeepMemory):
                self.announce(run_facts.MemoryKept(at=1, changes=effect.changes))
            elif isinstance(effect, e.Conclude):
                self.announce(*effect.facts)

    @rule(data=st.data(), verdicts=st.lists(st.sampled_from([True, True, True, False]), min_size=1, max_size=8))
    @precondition(lambda self: self.run.schedule.in_progress)
    def some_end(self, data: st.DataObject, verdicts: list[bool]) -> None:
        for landed in verdicts[: len(self.run.schedule.in_progress)]:
            self.announce(ended(data.draw(st.sampled_from(sorted(self.run.schedule.in_progress))), landed=landed))
        self.go_on()

    @rule(data=st.data())
    @precondition(lambda self: self.run.totals.failed)
    def one_is_tried_again(self, data: st.DataObject) -> None:
        failed = sorted(of_status(self.run, StoryStatus.FAILED))
        story = data.draw(st.sampled_from(failed))
        self.announce(run_facts.StoryRetryRequested(at=1, story=story))
        assert self.run.status is RunStatus.RUNNING
        assert self.run.stories[story].status is StoryStatus.UNCLAIMED

    @rule(data=st.data(), landed=st.booleans())
    def something_is_said_that_does_not_fit(self, data: st.DataObject, landed: bool) -> None:  # noqa: FBT001
        story = data.draw(st.sampled_from(sorted(self.run.stories)))
        before = self.run
        if story not in before.schedule.in_progress:
            self.announce(ended(story, landed=landed))
        if story not in before.schedule.ready:
            self.announce(run_facts.StoryDispatched(at=1, story=story, slot=99))
        if before.stories[story].status not in {StoryStatus.FAILED, StoryStatus.CANCELLED, StoryStatus.UNDONE}:
            self.announce(run_facts.StoryRetryRequested(at=1, story=story))
        assert self.run == before

    @invariant()
    def at_most_so_many_run_and_no_two_in_one_slot(self) -> None:
        if self.run.plan is None:
            return
        assert self.run.schedule.in_progress.keys() == of_status(self.run, StoryStatus.IN_PROGRESS)
        assert len(self.run.schedule.in_progress) <= self.run.given.parallel
        assert len(set(self.run.schedule.in_progress.values())) == len(self.run.schedule.in_progress)
        assert set(self.run.schedule.in_progress.values()) <= set(range(self.run.given.parallel))

    @invariant()
    def nothing_has_begun_before_its_dependencies_have_landed(self) -> None:
        begun = of_status(self.run, StoryStatus.IN_PROGRESS, StoryStatus.COMPLETED, StoryStatus.FAILED)
        landed = of_status(self.run, StoryStatus.COMPLETED)
        assert all(set(needs(self.run)[story]) <= landed for story in begun)

    @invariant()
    def blocked_is_exactly_what_needs_a_failed_story(self) -> None:
        failed = of_status(self.run, StoryStatus.FAILED)
        for story, known in self.run.stories.items():
            culprits = reachable(needs(self.run), (story,)) & failed
            assert (known.status is StoryStatus.BLOCKED) == bool(culprits) == (story in self.run.schedule.blocked)
            if culprits:
                assert any(f"{culprit}, which failed" in self.run.schedule.blocked[story] for culprit in culprits)

    @invariant()
    def what_is_kept_up_is_what_could_be_worked_out(self) -> None:
        if self.run.plan is not None:
            assert scheduled(self.run) == self.run
            costs = [known.usage.cost_usd for known in self.run.stories.values() if known.usage.cost_usd is not None]
            assert self.run.totals.spent == (sum(costs) if costs else None)

    @invariant()
    def the_rows_of_idle_stories_are_kept_up(self) -> None:
        if self.run.plan is not None:
            whole = idle_rows(RunState(), self.run)
            assert {story: self.rows[story] for story in whole} == whole

    def teardown(self) -> None:
        """From any state, the run ends once its stories do."""
        for number in range(4 * len(self.run.stories) + 2):
            if self.run.status in RUN_ENDED or self.run.plan is None:
                break
            for story in sorted(self.run.schedule.in_progress):
                self.announce(ended(story, landed=number % 5 > 0))
            self.go_on()
            self.blocked_is_exactly_what_needs_a_failed_story()
        if self.run.plan is None:
            return
        assert self.run.status in RUN_ENDED
        assert decide_run(self.run) == ()
        final = of_status(self.run, *ENDED, StoryStatus.BLOCKED)
        assert final == self.run.stories.keys()
        landed = of_status(self.run, StoryStatus.COMPLETED)
        wanted = self.run.stories.keys() - of_status(self.run, StoryStatus.CANCELLED)
        assert (self.run.status is RunStatus.COMPLETED) == (landed == wanted != set())


def test_pain_09_whatever_stories_come_to_none_starts_before_its_dependencies_have_landed() -> None:
    run_state_machine_as_test(ManyStories, settings=settings(QUICK, max_examples=30, stateful_step_count=40))


@given(many_stories(), st.integers(1, 8), st.data())
@settings(QUICK, max_examples=30)
def test_stories_that_touch_the_same_files_start_together_only_where_no_other_can(
    stories: tuple[Story, ...], count: int, data: st.DataObject
) -> None:
    run = started_run(*stories, parallel=8)
    for story in data.draw(st.lists(st.sampled_from(run.schedule.ready), max_size=4, unique=True)):
        run = evolve_run(run, run_facts.StoryDispatched(at=1, story=story, slot=len(run.schedule.in_progress)))
    chosen = to_start(run, count)
    assert len(chosen) == min(count, len(run.schedule.ready))
    claims = Claims(path for story in run.schedule.in_progress for path in run.asked(story).touches)
    together = [story for story in chosen if claims.meet(run.asked(story).touches)]
    apart = [story for story in run.schedule.ready if not claims.meet(run.asked(story).touches)]
    if together:
        # A story that was passed over overlaps with a story at work or with a story that starts now.
        claims.add(path for story in chosen if story not in together for path in run.asked(story).touches)
        assert all(claims.meet(run.asked(story).touches) for story in apart if story not in chosen)


def test_a_run_whose_stories_all_land_after_retries_is_completed() -> None:
    run = started_run(asked(1), asked(2, after=(1,)), asked(3, after=(2,)))
    for landed in (False, True, True, True):
        (effect,) = decide_run(kept(run))
        assert isinstance(effect, run_effects.DispatchStory)
        story = effect.assignment.story.id
        run = evolve_run(run, run_facts.StoryDispatched(at=1, story=story))
        run = evolve_run(run, ended(story, landed=landed))
        if not landed:
            assert of_status(run, StoryStatus.BLOCKED) == {"US-002", "US-003"}
            run = evolve_run(run, run_facts.StoryRetryRequested(at=1, story=story))
    (effect,) = decide_run(kept(run))
    assert isinstance(effect, e.Conclude)
    assert effect.facts == (run_facts.RunEnded(at=0, status=RunStatus.COMPLETED),)
