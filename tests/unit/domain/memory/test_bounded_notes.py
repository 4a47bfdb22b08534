"""Which notes a run and its stories remember, and when the notebook must be written."""

from dataclasses import replace

import pytest

from shiftwork.domain.core.ids import Commit, step_id
from shiftwork.domain.memory.notes import Learnt, Scope
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.notes import learnt
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.testing.builders import (
    after_steps,
    fold_run,
    fold_story,
    kept,
    landing_asked,
    run_plan,
    started_run,
    started_story,
    story_id,
)

BEGUN = fold_run(started_run(), run_facts.StoryDispatched(at=2, story=story_id(1)))


def shared(text: str, scope: Scope = Scope.PROJECT) -> run_facts.NoteShared:
    return run_facts.NoteShared(at=3, story=story_id(1), scope=scope, text=text)


def ended(**changes: object) -> run_facts.StoryEnded:
    fact = run_facts.StoryEnded(
        at=9,
        story=story_id(1),
        status=StoryStatus.FAILED,
        commit=Commit(""),
        reason="the tests\nare red",
        cause=FailureCause.STEP,
        usage=NOTHING_USED,
    )
    return replace(fact, **changes)  # type: ignore[arg-type]


def texts(run: RunState) -> dict[str, list[str]]:
    memory = run.memory
    shelves = {"project": memory.project, "patterns": memory.patterns, "progress": memory.progress}
    return {name: [note.text for note in shelf.all] for name, shelf in shelves.items() if shelf.all}


def test_a_story_that_was_undone_is_not_among_what_landed_and_the_others_learn_of_its_revert() -> None:
    learnt = Learnt(title="Say hello", text="- Landed as c0ffee")
    work = {"commit": Commit("c0ffee"), "base": Commit("base-1")}
    landed = fold_run(BEGUN, ended(status=StoryStatus.COMPLETED, cause=None, learnt=learnt, **work))
    story = story_id(1)
    reverted = run_facts.UndoLanded(at=1, story=story, commit=Commit("0123456789abcdef"))
    asked = (run_facts.StoryUndoRequested(at=1, story=story), run_facts.UndoPosted(at=1, story=story), reverted)
    run = fold_run(kept(landed), *asked, run_facts.StoryUndone(at=2, story=story))
    text = "US-001 landed and was later reverted on request (commit 0123456789ab)"
    assert texts(run) == {"project": [text]}
    assert any(isinstance(effect, run_effects.KeepMemory) for effect in decide_run(run)), "the notes are written again"


def test_notes_are_put_on_the_shelf_of_their_scope_and_are_kept_once_for_all() -> None:
    run = fold_run(BEGUN, shared("a port is needed"), shared("tabs", Scope.PATTERN), shared("Tabs.", Scope.PATTERN))
    assert texts(run) == {"project": ["a port is needed"], "patterns": ["tabs"]}
    assert decide_run(run) == (run_effects.KeepMemory(key="memory/2", changes=2),)
    assert not any(isinstance(effect, run_effects.KeepMemory) for effect in decide_run(kept(run)))


def test_a_note_that_says_nothing_new_changes_nothing() -> None:
    run = fold_run(BEGUN, shared("a port is needed"))
    assert fold_run(run, shared(" a PORT is\nneeded.")) is run
    assert fold_run(RunState(), shared("too early")) == RunState()


def test_a_failure_is_reported_to_the_other_stories_unless_a_person_cancelled_the_story() -> None:
    assert texts(fold_run(BEGUN, ended())) == {"project": ["US-001 failed: the tests are red"]}
    assert texts(fold_run(BEGUN, ended(cause=FailureCause.CANCELLED))) == {}


def test_what_a_landed_story_has_learnt_is_progress() -> None:
    learnt = Learnt(title="Say hello", text="- Landed as c0ffee")
    run = fold_run(BEGUN, ended(status=StoryStatus.COMPLETED, cause=None, learnt=learnt))
    (note,) = run.memory.progress.notes
    assert (note.at, note.by, note.title, note.text) == (9, "US-001", "Say hello", "- Landed as c0ffee")


def test_a_run_begins_with_the_patterns_of_the_one_before() -> None:
    plan = replace(run_plan(), patterns=("tabs", "no globals", "tabs"))
    run = fold_run(RunState(), run_facts.RunStarted(at=1, plan=plan))
    assert texts(run) == {"patterns": ["tabs", "no globals"]}
    assert {note.by for note in run.memory.patterns.notes} == {""}
    assert [effect.key for effect in decide_run(run)] == ["dispatch/US-001"], "no story waits for a file"
    begun = fold_run(run, run_facts.StoryDispatched(at=2, story=story_id(1), slot=0))
    assert [effect.key for effect in decide_run(begun)] == ["memory/2"]


@pytest.mark.parametrize("changes", [0, 3])
def test_only_what_there_is_to_be_kept_is_kept(changes: int) -> None:
    run = fold_run(BEGUN, shared("one"), shared("two"))
    assert fold_run(run, run_facts.MemoryKept(at=4, changes=changes)) is run


def test_a_story_that_has_not_landed_has_nothing_to_report() -> None:
    assert learnt(started_story()) is None


def test_a_landed_story_reports_its_last_steps_and_what_it_found_for_others() -> None:
    story = landing_asked(*["coding"] * 13)
    story = fold_story(
        story,
        story_facts.NoteWritten(at=91, by=step_id(1), text="only for this story"),
        *(story_facts.NoteWritten(at=91, by=step_id(1), text=f"note {n}", scope=Scope.PATTERN) for n in range(8)),
        story_facts.LandingAccepted(at=92, commit=Commit("c0ffee"), ref="main"),
        story_facts.StoryCompleted(at=93, commit=Commit("c0ffee")),
    )
    message = learnt(story)
    assert message is not None
    rows = message.text.splitlines()
    assert (message.title, rows[:2]) == ("Story 1", ["- Landed as c0ffee", "- earlier steps left out: 1"])
    assert rows[2] == "- coding: step-002 is done"
    assert rows[14:16] == ["- **Learnings:**", "  - earlier ones left out: 2"]
    assert rows[-1] == "  - note 7"
    assert "only for this story" not in message.text


def test_a_landed_story_without_findings_reports_what_was_done() -> None:
    story = landing_asked("coding")
    landed = story_facts.LandingAccepted(at=92, commit=Commit("c0ffee"), ref="main")
    message = learnt(fold_story(story, landed, story_facts.StoryCompleted(at=93, commit=Commit("c0ffee"))))
    assert message == Learnt(title="Story 1", text="- Landed as c0ffee\n- coding: step-001 is done")


def test_the_notes_of_a_story_are_bounded() -> None:
    story = after_steps(started_story(), 1)
    story = fold_story(
        story, *(story_facts.NoteWritten(at=1, by=step_id(1), text=f"{n} " + "x" * 9_000) for n in range(200))
    )
    shelf = story.dialogue.notes
    assert sum(len(note.text) for note in shelf.all) < 60_000
    assert len(shelf.all) + shelf.left_out == 200
    assert shelf.notes[-1].text.startswith("199 ")
    assert "characters left out]" in shelf.notes[-1].text
