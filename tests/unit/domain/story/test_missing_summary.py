"""What happens to an attempt that lacks only its summary, and the note that replaces it."""

from dataclasses import replace

import pytest

from shiftwork.domain.budget.amounts import Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import Commit, StepId, step_id
from shiftwork.domain.core.patch import FileChange
from shiftwork.domain.story import facts as f
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.facts.steps import Trouble
from shiftwork.domain.story.recovery.missing_summary import FILES, Remedy, may_resume, note_of, remedy
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import Step, StepStatus
from shiftwork.testing.builders import assignment, planned

STEP, BASE = step_id(1), Commit("base")
USED = Usage(input_tokens=10, cost_usd=0.5)
MISSED = f.SummaryMissed(
    at=4,
    step=STEP,
    attempt=1,
    commit=Commit("work"),
    outputs=(("status", "done"),),
    usage=USED,
    session="session",
    home="/home",
    note="note",
)


def begun(limits: Limits = Limits()) -> StoryState:  # noqa: B008 - frozen
    story = StoryState()
    for fact in (
        f.StoryStarted(at=0, assignment=assignment(limits=limits), steps=(planned("coding"),)),
        f.WorkspacePrepared(at=1, number=1, base=BASE, head=BASE),
        started(1),
    ):
        story = evolve_story(story, fact)
    return story


def started(attempt: int, agent: str = "one") -> f.StepStarted:
    return f.StepStarted(at=2, step=STEP, attempt=attempt, commit=BASE, log="", agent=agent)


def step_of(story: StoryState) -> Step:
    return story.pipeline.steps[0]


def test_the_note_counts_files_and_lines_and_says_who_wrote_it() -> None:
    files = (
        FileChange(path="src/a.py", added=1, removed=0),
        FileChange(path="logo\n.png", added=None, removed=None),
    )
    assert note_of(files, claimed=False) == (
        "The agent gave no summary. Shiftwork wrote this note from the diff: "
        "2 files changed, 1 line added, 0 removed.\n"
        "- src/a.py (+1 -0)\n"
        "- logo .png (binary)"
    )


def test_a_note_lists_a_bounded_number_of_files() -> None:
    note = note_of([FileChange(path=f"{n}", added=1, removed=2) for n in range(FILES + 3)], claimed=False)
    assert "23 files changed, 23 lines added, 46 removed" in note
    assert note.splitlines()[-2:] == ["- 19 (+1 -2)", "- and 3 more"]


def test_without_a_change_only_a_claim_makes_a_note() -> None:
    assert note_of((), claimed=False) == ""
    assert "no file changed; the answer says that the step is done" in note_of((), claimed=True)


@pytest.mark.parametrize(
    ("session", "note", "expected"),
    [
        ("s", "note", Remedy.FOLLOW_UP),
        ("s", "", Remedy.REFUSE),
        ("", "note", Remedy.NOTE),
        ("", "", Remedy.REFUSE),
    ],
)
def test_the_session_is_asked_where_there_is_one_and_work_to_summarise(
    session: str, note: str, expected: Remedy
) -> None:
    story = begun()
    assert remedy(story, step_of(story), USED, session, note) is expected


@pytest.mark.parametrize("limits", [Limits(story=Budget(usd=0.5)), Limits(step=Budget(usd=0.5))])
def test_a_limit_that_the_attempt_has_reached_leaves_no_follow_up(limits: Limits) -> None:
    story = begun(limits)
    assert remedy(story, step_of(story), USED, "s", "note") is Remedy.NOTE
    assert remedy(story, step_of(story), USED, "s", "") is Remedy.REFUSE
    assert remedy(story, step_of(story), replace(USED, cost_usd=0.4), "s", "note") is Remedy.FOLLOW_UP


def test_a_follow_up_is_a_session_and_needs_one_that_is_left() -> None:
    last, left = begun(Limits(story=Budget(sessions=1))), begun(Limits(story=Budget(sessions=2)))
    assert remedy(last, step_of(last), USED, "s", "note") is Remedy.NOTE
    assert remedy(left, step_of(left), USED, "s", "note") is Remedy.FOLLOW_UP


def test_the_work_is_kept_and_the_step_waits_for_its_follow_up() -> None:
    story = evolve_story(begun(), MISSED)
    step = step_of(story)
    assert (step.status, step.retries, story.work.head) == (StepStatus.PENDING, 0, "work")
    assert step.usage.cost_usd == 0.5
    assert may_resume(step_of(evolve_story(story, started(2))), 2) == step.unsummarised
    assert may_resume(step_of(evolve_story(story, started(2, "other"))), 2) is None


def test_after_an_interruption_the_session_is_not_asked_again() -> None:
    story = begun()
    for fact in (MISSED, started(2), f.StepInterrupted(at=5, step=STEP, attempt=2, diff="")):
        story = evolve_story(story, fact)
    story = evolve_story(evolve_story(story, f.WorkspacePrepared(at=6, number=2, base=BASE, head=BASE)), started(3))
    step = step_of(story)
    assert (step.status, step.attempts) == (StepStatus.IN_PROGRESS, 3)
    assert step.unsummarised is not None
    assert may_resume(step, 3) is None


@pytest.mark.parametrize(
    "ending",
    [
        f.StepCompleted(at=5, step=STEP, attempt=2, commit=Commit(""), notes="n", outputs=(), usage=USED),
        f.StepFailed(at=5, step=STEP, attempt=2, trouble=Trouble.CONTRACT, error="e", usage=USED, diff=""),
        f.StepCancelled(at=5, step=STEP, attempt=2, trouble=Trouble.CANCELLED, error="e", usage=USED, diff=""),
    ],
    ids=["completed", "failed", "cancelled"],
)
def test_any_other_end_of_the_follow_up_closes_it(ending: f.StepCompleted | f.StepFailed | f.StepCancelled) -> None:
    story = evolve_story(evolve_story(evolve_story(begun(), MISSED), started(2)), ending)
    assert step_of(story).unsummarised is None


def test_a_fact_about_another_attempt_changes_nothing() -> None:
    story = begun()
    assert evolve_story(story, replace(MISSED, attempt=2)) == story
    assert evolve_story(story, replace(MISSED, step=StepId("step-009"))) == story
    assert evolve_story(evolve_story(story, MISSED), MISSED) == evolve_story(story, MISSED)
