"""A story's request is edited: when agents work on the new text, and what happens to the work for the old text."""

from dataclasses import replace
from typing import Any

import pytest

from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.state import RunState
from shiftwork.domain.run.steering.intents import restarted
from shiftwork.domain.spec.spec import Criterion, one_shot, reworded
from shiftwork.domain.story.state import StoryStatus
from shiftwork.testing.builders import asked, fold_run, kept, run_plan, started_run, story_id
from tests.unit.domain.run.steering.test_intents import all_landed, cancel, landed, retry
from tests.unit.domain.run.test_decide import dispatched, ended


def test_what_is_edited_is_dispatched_as_it_then_reads() -> None:
    run = started_run(asked(1), asked(2, after=(1,)))
    run = fold_run(run, dispatched(1), run_facts.StoryEdited(at=1, story=replace(asked(2), title="Other")), landed(1))
    (effect,) = decide_run(kept(run))
    assert effect.assignment.story.title == "Other"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"title": "Other"}, "its text was changed"),
        ({"description": "Something else"}, "its text was changed"),
        ({"criteria": (Criterion(id="AC-1", text="another"),)}, "its text was changed"),
        ({"depends_on": (story_id(2),)}, ""),
        ({}, ""),
    ],
    ids=repr,
)
def test_work_that_was_done_for_another_text_is_not_continued(changes: dict[str, Any], why: str) -> None:
    failed = fold_run(all_landed(asked(1), asked(2)), run_facts.StoryAdded(at=1, story=asked(3)))
    failed = fold_run(failed, dispatched(3), ended(3, StoryStatus.FAILED))
    edit = run_facts.StoryEdited(at=1, story=replace(asked(3), **changes))
    before, after = (fold_run(failed, *facts) for facts in ((edit, retry(3)), (retry(3), edit)))
    for run in (before, after):
        (effect,) = decide_run(kept(run))
        assert isinstance(effect, run_effects.DispatchStory)
        assert (effect.from_scratch, restarted(run, story_id(3))) == (bool(why), why)
    later = fold_run(before, dispatched(3), ended(3, StoryStatus.FAILED), retry(3))
    assert not restarted(later, story_id(3)), "what was done since was done for the new text"
    assert restarted(fold_run(before, cancel(3), retry(3)), story_id(3)) == why, "no agent has begun it meanwhile"


def test_a_run_of_one_sentence_is_about_what_that_says_then() -> None:
    """Its title is in every prompt, and so may be its description."""
    spec = one_shot("Add two")
    (story,) = spec.stories
    edit = run_facts.StoryEdited(at=1, story=reworded(story, title="Add five"))
    run = fold_run(RunState(), run_facts.RunStarted(at=1, plan=replace(run_plan(), spec=spec)), edit)
    assert (run.given.spec.title, run.given.spec.description) == ("Add five", "Add five")
    (effect,) = decide_run(kept(run))
    assert isinstance(effect, run_effects.DispatchStory)
    assert effect.assignment.task == "Add five"


def test_a_run_of_several_stories_is_about_more_than_the_one_that_was_edited() -> None:
    before = started_run(asked(1), asked(2))
    run = fold_run(before, run_facts.StoryEdited(at=1, story=replace(asked(1), title="Other")))
    assert (run.given.spec.title, run.given.spec.description) == (
        before.given.spec.title,
        before.given.spec.description,
    )


def test_an_edit_of_what_no_one_has_begun_makes_no_work_outdated() -> None:
    run = fold_run(
        started_run(asked(1)), cancel(1), run_facts.StoryEdited(at=1, story=replace(asked(1), title="Other"))
    )
    assert (restarted(run, story_id(1)), restarted(run, FRAME)) == ("", "")
