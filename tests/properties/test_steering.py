"""A run of many stories that people steer: for any requests, the rules of the graph hold."""

from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule, run_state_machine_as_test

from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.state import RUN_ENDED, RunStatus
from shiftwork.domain.run.steering.intent_checks import next_story_id, objection
from shiftwork.domain.spec.graph import reachable
from shiftwork.domain.story.state import FailureCause, LandingStage, StoryStatus
from shiftwork.testing.builders import asked
from shiftwork.testing.strategies import QUICK
from tests.properties.test_run_graph import ManyStories, ended, needs, of_status

NOT_BEGUN = (StoryStatus.UNCLAIMED, StoryStatus.BLOCKED)


def landed_as(story: StoryId) -> run_facts.StoryEnded:
    """With what an undo needs to know."""
    return replace(ended(story, landed=True), commit=Commit(f"{story}-landed"), base=Commit("before"))


class Steered(ManyStories):
    """While stories end in any way, people pause, cancel, retry, add, edit, reorder and undo."""

    def story(self, data: st.DataObject, *statuses: StoryStatus) -> StoryId:
        return data.draw(st.sampled_from(sorted(of_status(self.run, *(statuses or tuple(StoryStatus))))))

    @rule()
    def go_on(self) -> None:
        for effect in decide_run(self.run):
            match effect:
                case run_effects.ForwardCancel():
                    assert effect.story in self.run.schedule.in_progress
                    self.announce(run_facts.CancelForwarded(at=1, story=effect.story))
                case run_effects.ForwardDismissal():
                    self.announce(run_facts.DismissalForwarded(at=1, story=effect.story))
                case run_effects.ForwardPause():
                    assert effect.story in self.run.schedule.in_progress
                    self.announce(run_facts.PauseForwarded(at=1, story=effect.story, paused=effect.paused))
                case run_effects.RequestUndo():
                    self.announce(run_facts.UndoPosted(at=1, story=effect.story))
                case run_effects.RevertStory():
                    self.announce(run_facts.StoryUndone(at=1, story=effect.story))
                case run_effects.DispatchStory():
                    assert not self.run.requests.paused
                case _:
                    pass
        super().go_on()

    @rule(data=st.data(), count=st.integers(1, 8))
    @precondition(lambda self: self.run.schedule.in_progress)
    def some_land(self, data: st.DataObject, count: int) -> None:
        for _ in range(min(count, len(self.run.schedule.in_progress))):
            self.announce(landed_as(data.draw(st.sampled_from(sorted(self.run.schedule.in_progress)))))
        self.go_on()

    @rule(data=st.data(), from_scratch=st.booleans())
    @precondition(lambda self: self.run.totals.failed)
    def one_is_tried_again(self, data: st.DataObject, from_scratch: bool) -> None:  # noqa: FBT001 - a rule's parameter
        story = self.story(data, StoryStatus.FAILED)
        self.announce(run_facts.StoryRetryRequested(at=1, story=story, from_scratch=from_scratch))
        known = self.run.stories[story]
        assert self.run.status is RunStatus.RUNNING
        assert known.status in NOT_BEGUN
        assert known.from_scratch is from_scratch

    @rule(data=st.data())
    @precondition(lambda self: self.run.totals.failed)
    def one_is_dismissed(self, data: st.DataObject) -> None:
        story, failed = self.story(data, StoryStatus.FAILED), self.run.totals.failed
        fact = run_facts.StoryDismissalRequested(at=1, story=story)
        fits = not objection(self.run, fact)
        self.announce(fact)
        if fits:
            assert self.run.stories[story].status is StoryStatus.CANCELLED
            assert self.run.totals.failed == failed - 1
            assert story in self.run.requests.dismissed
            self.go_on()

    @rule(data=st.data())
    def one_is_cancelled(self, data: st.DataObject) -> None:
        story = self.story(data)
        before, fact = self.run.stories[story], run_facts.StoryCancellationRequested(at=1, story=story)
        fits = not objection(self.run, fact)
        self.announce(fact)
        if fits and before.status in NOT_BEGUN:
            assert self.run.stories[story].status is StoryStatus.CANCELLED
            assert self.run.stories[story].cause is FailureCause.CANCELLED
        elif fits and story in self.run.requests.undoing:
            assert story in self.run.requests.unwanted, "its revert is withdrawn"
        elif fits:
            assert story in self.run.schedule.in_progress
            for _ in range(2):  # what the one before has left to remember comes first
                self.go_on()
            assert story in self.run.requests.cancelled_stories
            self.announce(ended(story, landed=False))

    @rule(data=st.data(), after=st.integers(0, 2))
    def one_is_added(self, data: st.DataObject, after: int) -> None:
        needed = data.draw(st.lists(st.sampled_from(sorted(self.run.stories)), max_size=after, unique=True))
        name = next_story_id(self.run.given.spec.stories)
        self.announce(run_facts.StoryAdded(at=1, story=replace(asked(1), id=name, depends_on=tuple(needed))))
        assert self.run.status is RunStatus.RUNNING
        assert name in self.run.stories

    @rule(data=st.data())
    def one_is_edited(self, data: st.DataObject) -> None:
        """Any dependencies are requested: an edit that would make a cycle or comes too late changes nothing."""
        story = self.story(data)
        needed = data.draw(st.lists(st.sampled_from(sorted(self.run.stories)), max_size=2, unique=True))
        changed = replace(self.run.asked(story), depends_on=tuple(needed), title="changed")
        before, fact = self.run, run_facts.StoryEdited(at=1, story=changed)
        why = objection(before, fact)
        self.announce(fact)
        if why:
            assert self.run is before
        else:
            assert self.run.asked(story) == changed
        assert not self.run.graph.cycle

    @rule(data=st.data())
    def some_are_put_first(self, data: st.DataObject) -> None:
        first = tuple(data.draw(st.lists(st.sampled_from(sorted(self.run.stories)), max_size=4, unique=True)))
        over = self.run.status in RUN_ENDED
        self.announce(run_facts.StoriesReordered(at=1, stories=first))
        places = [self.run.graph.rank[story] for story in first]
        assert over or places == list(range(len(first)))

    @rule(pause=st.booleans())
    def the_run_is_paused_or_goes_on(self, pause: bool) -> None:  # noqa: FBT001 - a rule's parameter
        self.announce(run_facts.RunPaused(at=1) if pause else run_facts.RunUnpaused(at=1))
        for _ in range(3):  # all notifications are sent before anything else
            self.go_on()
        if self.run.status is RunStatus.RUNNING:
            assert self.run.requests.paused is pause
            assert self.run.requests.paused_stories == (self.run.schedule.in_progress.keys() if pause else frozenset())

    @rule(data=st.data())
    @precondition(lambda self: self.run.totals.completed)
    def one_is_to_be_undone(self, data: st.DataObject) -> None:
        story = self.story(data, StoryStatus.COMPLETED)
        fact = run_facts.StoryUndoRequested(at=1, story=story)
        why = objection(self.run, fact)
        self.announce(fact)
        assert (story in self.run.requests.undoing) or why
        self.go_on()

    @rule(data=st.data(), fits=st.booleans())
    @precondition(lambda self: self.run.requests.undoing)
    def one_is_undone_or_stays(self, data: st.DataObject, fits: bool) -> None:  # noqa: FBT001 - a rule's parameter
        self.answer_undo(data.draw(st.sampled_from(sorted(self.run.requests.undoing))), fits=fits)

    def answer_undo(self, story: StoryId, *, fits: bool) -> None:
        for _ in range(3):
            self.go_on()
        if story not in self.run.requests.undoing:
            return
        landed = run_facts.UndoLanded(at=1, story=story, commit=Commit("revert"))
        self.announce(landed if fits else run_facts.UndoRefused(at=1, story=story, reason="no"))
        for _ in range(3):
            self.go_on()
        assert story not in self.run.requests.undoing
        assert fits == (self.run.stories[story].status is StoryStatus.UNDONE)

    @invariant()
    def nothing_has_begun_before_its_dependencies_have_landed(self) -> None:
        """A story that failed may have been cancelled before, or its dependency may have been undone."""
        landed = of_status(self.run, StoryStatus.COMPLETED)
        begun = of_status(self.run, StoryStatus.IN_PROGRESS, StoryStatus.COMPLETED)
        assert all(set(needs(self.run)[story]) <= landed for story in begun)
        in_progress = of_status(self.run, StoryStatus.IN_PROGRESS)
        assert all(self.run.requests.undoing.keys().isdisjoint(needs(self.run)[story]) for story in in_progress)

    @invariant()
    def blocked_is_exactly_what_needs_a_failed_story(self) -> None:
        missing = of_status(self.run, StoryStatus.FAILED, StoryStatus.CANCELLED, StoryStatus.UNDONE)
        assert self.run.schedule.blocked.keys() == of_status(self.run, StoryStatus.BLOCKED)
        for story in of_status(self.run, *NOT_BEGUN):
            culprits = reachable(needs(self.run), (story,)) & missing
            assert bool(culprits) == (story in self.run.schedule.blocked)
            if culprits:
                words = ("failed", "was cancelled", "was undone")
                lines = [f"{culprit}, which {word}" for culprit in culprits for word in words]
                assert any(reason in self.run.schedule.blocked[story] for reason in lines)

    @invariant()
    def what_is_being_undone_has_landed(self) -> None:
        assert self.run.requests.undoing.keys() <= of_status(self.run, StoryStatus.COMPLETED)
        assert all(undo.landing is not LandingStage.REFUSED for undo in self.run.requests.undoing.values())

    def teardown(self) -> None:
        if self.run.plan is not None:
            self.announce(run_facts.RunUnpaused(at=1))
            for story in sorted(self.run.requests.undoing):
                self.answer_undo(story, fits=True)
        super().teardown()


def test_whatever_people_ask_of_a_run_the_rules_of_its_graph_hold() -> None:
    run_state_machine_as_test(Steered, settings=settings(QUICK, max_examples=25, stateful_step_count=40))
