"""The remarks on a plan before anything is spent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.planning.remarks import Remark, WarningKind, by_story, expected, remarks


def story(name: str, *criteria: str, **more: object) -> Story:
    listed = tuple(Criterion(id=f"AC-{number}", text=text) for number, text in enumerate(criteria, start=1))
    given = {"description": "", **more}
    return Story(id=StoryId(name), title=name, criteria=listed, **given)  # type: ignore[arg-type]


def warnings(*stories: Story) -> list[tuple[str, WarningKind]]:
    return [(remark.story, remark.kind) for remark in remarks(stories)]


@pytest.mark.parametrize(
    "text",
    [
        "The endpoint returns 404 for an unknown id",
        "`pytest tests/test_profiles.py` passes",
        "src/models/profile.py has a column `status`",
        "Typechecks",
        'The page shows "No results"',
    ],
)
def test_a_criterion_that_names_something_to_look_at_is_not_doubted(text: str) -> None:
    assert warnings(story("A", text)) == []


@pytest.mark.parametrize("text", ["Works properly", "The code is robust and elegant", "Good performance"])
def test_a_criterion_of_vague_words_alone_is_called_vague(text: str) -> None:
    assert warnings(story("A", text, "The list shows 20 rows")) == [("A", WarningKind.VAGUE)]


def test_a_criterion_that_nothing_could_check_is_named() -> None:
    (remark,) = remarks([story("A", "Everybody is happy", "Exit code 0")])
    assert remark == Remark(
        story=StoryId("A"),
        kind=WarningKind.UNCHECKABLE,
        text="AC-1 names nothing that a test or a command could check",
        criterion="AC-1",
    )


def test_a_story_without_anything_checkable_is_reported_as_a_whole() -> None:
    assert remarks([story("A")])[-1].text == "no criterion can be checked: only the gates will check this story"
    assert warnings(story("A", "Everybody is happy"))[-1] == ("A", WarningKind.UNCHECKABLE)


def test_stories_that_are_too_large_say_why() -> None:
    nine = [f"returns {number}" for number in range(9)]
    (remark,) = remarks([story("A", *nine, complexity=5, description="x" * 4_001)])
    assert remark.kind is WarningKind.OVERSIZED
    assert remark.text.startswith("9 criteria and 4,001 characters of description and complexity 5:")


def test_a_story_that_many_wait_for_is_a_hub() -> None:
    hub = story("A", "returns 1")
    waiting = [story(f"B{number}", "returns 1", depends_on=(StoryId("A"),)) for number in range(4)]
    assert warnings(hub, *waiting) == [("A", WarningKind.BOTTLENECK)]
    assert warnings(hub, *waiting[:3]) == []


def test_stories_that_may_run_side_by_side_on_one_file_are_named_once() -> None:
    first = story("A", "src/app.py returns 1")
    second = story("B", "returns 2", touches=("src/*.py", "docs/b.md"))
    third = story("C", "src/app.py returns 3", depends_on=(StoryId("A"), StoryId("B")))
    (remark,) = remarks([first, second, third])
    assert (remark.story, remark.kind) == ("B", WarningKind.OVERLAP)
    assert remark.text.startswith("will change src/*.py like A,")


def test_remarks_are_found_by_their_story() -> None:
    found = remarks([story("A"), story("B", "Good")])
    assert [remark.kind for remark in by_story(found)["B"]] == [WarningKind.VAGUE, WarningKind.UNCHECKABLE]
    assert set(by_story(found)) == {"A", "B"}


def test_several_overlaps_of_one_story_are_all_reported() -> None:
    stories = [story(name, "returns 1", touches=("src/app.py",)) for name in "ABC"]
    assert warnings(*stories) == [("B", WarningKind.OVERLAP), ("C", WarningKind.OVERLAP), ("C", WarningKind.OVERLAP)]


def test_paths_are_read_from_the_text_where_no_one_says_what_is_touched() -> None:
    asked = story(
        "A", "README.md tells of it", description="Change src/a/b.py, and src/a/b.py again and/or e.g. not this."
    )
    assert expected(asked) == ("src/a/b.py", "README.md")


@given(st.lists(st.text(max_size=200), max_size=12), st.text(max_size=500))
def test_no_text_makes_it_fail_and_every_remark_is_about_a_story_of_the_plan(texts: list[str], text: str) -> None:
    stories = [story("A", *texts, description=text), story("B", *texts[::-1], depends_on=(StoryId("A"),))]
    found = remarks(stories)
    assert {remark.story for remark in found} <= {"A", "B"}
    assert found == remarks(stories)
