"""A plan is understood whole, or refused with everything that is wrong with it."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.prompts.answer.contract import Problem, stories


def a_story(number: int = 1, **changes: object) -> dict[str, object]:
    story = {"id": f"US-{number}", "title": f"T{number}", "description": "D", "acceptanceCriteria": ["C"]}
    return story | changes


def answer(*items: object) -> str:
    return f"STATUS: done\nSTORIES_JSON: {json.dumps(items)}\nSUMMARY: planned"


def understood(text: str) -> tuple[Story, ...]:
    found = stories(text)
    assert not isinstance(found, Problem), found.text
    return found


def refused(text: str) -> str:
    found = stories(text)
    assert isinstance(found, Problem)
    return found.text


def test_all_fields_are_read() -> None:
    item = a_story(2, title=" Two\nlines ", acceptanceCriteria=["a", " b "], dependsOn=["US-1", "US-1"], priority=3)

    assert understood(answer(a_story(), item))[1] == Story(
        id=StoryId("US-2"),
        title="Two lines",
        description="D",
        criteria=(Criterion(id="AC-1", text="a"), Criterion(id="AC-2", text="b")),
        depends_on=(StoryId("US-1"),),
        priority=3,
        planned=True,
    )


def test_what_helps_to_choose_an_order_is_read_too() -> None:
    (story,) = understood(answer(a_story(complexity=5, touches=["src/a.py", "docs/*.md"])))
    assert (story.complexity, story.touches) == (5, ("src/a.py", "docs/*.md"))


def test_a_plan_that_an_agent_made_lets_no_test_change() -> None:
    (story,) = understood(answer(a_story(touches=["**"])))
    assert (story.touches, story.allowed) == (("**",), ())
    assert replace(story, planned=False).allowed == ("**",)
    assert understood(answer(a_story()))[0].complexity == 3
    assert "story 1 (US-1): complexity must be between 1 and 5" in refused(answer(a_story(complexity=9)))


@pytest.mark.parametrize("name", ["acceptanceCriteria", "acceptance_criteria"])
def test_names_of_criteria(name: str) -> None:
    item = {"id": "A", "title": "T", name: ["C"]}

    assert understood(answer(item))[0].criteria == (Criterion(id="AC-1", text="C"),)


@pytest.mark.parametrize("name", ["dependsOn", "depends_on", "dependencies"])
def test_names_of_dependencies(name: str) -> None:
    assert understood(answer(a_story(), a_story(2, **{name: ["US-1"]})))[1].depends_on == (StoryId("US-1"),)


ONE = json.dumps([a_story()])
PRETTY = json.dumps([a_story()], indent=2)


@pytest.mark.parametrize(
    "text",
    [
        f"STORIES_JSON: {ONE}",
        f"STORIES_JSON:{ONE}",
        f"STORIES_JSON:\n{PRETTY}",
        f"STORIES_JSON:\n\n{PRETTY}\nSTATUS: done",
        f"STORIES_JSON:\r\n{PRETTY}\r\n",
        f"STORIES_JSON:\n```json\n{PRETTY}\n```\nSTATUS: done",
        f"STORIES_JSON:\n~~~\n{PRETTY}\n~~~",
        f"STORIES_JSON: {ONE}```",
        f"STORIES_JSON: {ONE}\n\nThat is the plan.",
        f"STORIES_JSON: {ONE}\nSTORIES_JSON: []",
        f"STORIES_JSON:\n{PRETTY}\n## Summary\nplanned",
        f"**STORIES_JSON:** {ONE}",
        f"```\nSTATUS: done\nSTORIES_JSON: {ONE}\n```",
    ],
    ids=[
        "one-line",
        "one-line-without-a-blank",
        "many-lines",
        "many-lines-and-then-a-key",
        "windows-lines",
        "in-a-fence-below",
        "in-tildes-below",
        "with-a-stray-fence",
        "and-then-prose",
        "the-first-one-counts",
        "and-then-a-heading",
        "in-bold",
        "in-a-fence-with-the-whole-answer",
    ],
)
def test_forms_of_a_plan(text: str) -> None:
    assert [story.id for story in understood(text)] == ["US-1"]


def test_a_colon_inside_a_text_ends_nothing() -> None:
    item = a_story(description="NOTE: it\nSTATUS: done")

    assert understood(f"STORIES_JSON:\n{json.dumps([item], indent=1)}")[0].description == "NOTE: it\nSTATUS: done"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the answer has no line that begins with STORIES_JSON:"),
        (
            f"STATUS: done\n```\nSTORIES_JSON: {ONE}\n```",
            "the answer has no line that begins with STORIES_JSON:; the one inside a code fence does not count",
        ),
        ("STORIES_JSON:", "STORIES_JSON is not valid JSON: Expecting value, at line 1, column 1"),
        ("STORIES_JSON: [{]", "STORIES_JSON is not valid JSON: Expecting property name enclosed in double quotes"),
        ("STORIES_JSON: [\n1\n2]", "STORIES_JSON is not valid JSON: Expecting ',' delimiter, at line 3, column 1"),
        (f"STORIES_JSON: {'[' * 100_000}", "STORIES_JSON is not valid JSON: it is nested too deeply"),
        (f"STORIES_JSON: [{'9' * 5_000}]", "STORIES_JSON is not valid JSON: it holds a number with too many digits"),
        (f"STORIES_JSON: {ONE} {ONE}", "STORIES_JSON is not valid JSON: there is more text after its end"),
        (f"STORIES_JSON: {ONE},\n", "STORIES_JSON is not valid JSON: there is more text after its end"),
        (f"STORIES_JSON: {ONE}\n{ONE}", "STORIES_JSON is not valid JSON: there is more text after its end"),
        ("STORIES_JSON: {}", "STORIES_JSON must be a list of stories, not an object"),
        ("STORIES_JSON: null", "STORIES_JSON must be a list of stories, not null"),
        ("STORIES_JSON: []", "STORIES_JSON must hold 1 to 20 stories; it holds 0"),
        (answer(*map(a_story, range(21))), "STORIES_JSON must hold 1 to 20 stories; it holds 21"),
    ],
    ids=[
        "missing",
        "inside-a-fence",
        "empty",
        "broken",
        "broken-in-its-third-line",
        "nested-too-deeply",
        "too-many-digits",
        "two-on-a-line",
        "comma-at-the-end",
        "two-below-each-other",
        "an-object",
        "null",
        "no-stories",
        "21-stories",
    ],
)
def test_what_is_no_plan(text: str, message: str) -> None:
    assert refused(text).startswith(message)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("text", "story 1 must be an object, not text"),
        (a_story(id=None), "story 1: id is missing; text was expected"),
        (a_story(id=""), "story 1: id must not be empty"),
        (a_story(id=7), "story 1: id must be text, not a whole number"),
        (a_story(id="../x"), "story 1: id '../x' must be letters, digits, '-', '_' and single dots, at most 64"),
        (a_story(id="a..b"), "story 1: id 'a..b' must be letters, digits, '-', '_' and single dots, at most 64"),
        (a_story(id="a" * 65), "story 1: id 'aaa"),
        (a_story(title=" "), "story 1 (US-1): title must not be empty"),
        (a_story(title=True), "story 1 (US-1): title must be text, not true or false"),
        (a_story(description=1.5), "story 1 (US-1): description must be text, not a fraction"),
        (a_story(acceptanceCriteria=[]), "story 1 (US-1): acceptanceCriteria must not be empty"),
        (a_story(acceptanceCriteria="C"), "story 1 (US-1): acceptanceCriteria must be a list, not text"),
        (
            a_story(acceptanceCriteria=["C", ""]),
            "story 1 (US-1): acceptanceCriteria must hold texts; number 2 is empty",
        ),
        (a_story(acceptanceCriteria=[[]]), "story 1 (US-1): acceptanceCriteria must hold texts; number 1 is a list"),
        (
            {"id": "A", "title": "T", "acceptanceCriterias": ["C"]},
            "story 1 (A): acceptanceCriteria is missing; a list was expected (is 'acceptanceCriterias' meant?)",
        ),
        (a_story(dependsOn="US-2"), "story 1 (US-1): dependsOn must be a list, not text"),
        (a_story(dependsOn=["US-11"]), "US-1 depends on 'US-11', which is not in the plan; did you mean 'US-1'?"),
        (a_story(dependsOn=["zzz"]), "US-1 depends on 'zzz', which is not in the plan"),
        (a_story(dependsOn=["US-1"]), "stories depend on each other in a cycle: US-1 → US-1"),
        (a_story(priority="1"), "story 1 (US-1): priority must be a whole number, not text"),
        (a_story(priority=True), "story 1 (US-1): priority must be a whole number, not true or false"),
        (a_story(priority=10**9), "story 1 (US-1): priority must be between -1,000,000 and 1,000,000"),
    ],
)
def test_what_is_no_story(item: object, message: str) -> None:
    assert refused(answer(item)).startswith(message)


def test_every_mistake_is_named_at_once() -> None:
    assert refused(answer(a_story(title=""), 7, a_story(3, id=""))).splitlines() == [
        "story 1 (US-1): title must not be empty",
        "story 2 must be an object, not a whole number",
        "story 3: id must not be empty",
    ]


def test_beyond_ten_mistakes_only_their_number_is_reported() -> None:
    lines = refused(answer(*[1] * 20)).splitlines()

    assert len(lines) == 11
    assert lines[-1] == "and 10 more"


def test_ids_are_unique_whatever_their_case() -> None:
    text = answer(a_story(id="us-a"), a_story(id="B"), a_story(id="US-A"), a_story(id="B"))

    assert refused(text).splitlines() == [
        "story 3: id US-A is already used by story 1",
        "story 4: id B is already used by story 2",
    ]


def test_a_cycle_is_named_in_the_direction_of_depends_on() -> None:
    text = answer(a_story(1, dependsOn=["US-2"]), a_story(2, dependsOn=["US-3"]), a_story(3, dependsOn=["US-1"]))
    cycle = refused(text).removeprefix("stories depend on each other in a cycle: ").split(" → ")

    assert cycle[0] == cycle[-1]
    assert set(pairwise(cycle)) == {("US-1", "US-2"), ("US-2", "US-3"), ("US-3", "US-1")}


def test_what_cannot_be_stored_does_not_leave_the_plan() -> None:
    text = 'STORIES_JSON: [{"id": "A", "title": "x\\u0000\\ud800", "acceptanceCriteria": ["\\udfff"]}]'
    story = understood(text)[0]

    assert story.title == "x\ufffd?"
    assert story.criteria[0].text == "?"
