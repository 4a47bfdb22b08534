"""No text makes the contract's parsers fail, and they find the same as a plain reading of the lines."""

import json
import random
import re
from time import thread_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.domain.spec.spec import Story
from shiftwork.domain.workflow.edit_request import Edit, Operation
from shiftwork.domain.workflow.pipeline import pipeline_of
from shiftwork.domain.workflow.workflow import Route
from shiftwork.prompts.answer.asked import COMMON
from shiftwork.prompts.answer.contract import (
    KEYS_LIMIT,
    SUMMARY_LIMIT,
    VALUE_LIMIT,
    Answer,
    Problem,
    edits,
    parse,
    stories,
)
from shiftwork.prompts.answer.result import InvalidAnswer, asked_of, result
from shiftwork.prompts.answer.stories import MAX_STORIES
from shiftwork.prompts.lengths import size
from shiftwork.testing.builders import planned

FRAGMENTS = (
    *("SUMMARY:", "## SUMMARY", "**SUMMARY**", "**Summary:** x", "summary: y", "# Summary of it", "## Details"),
    *("STATUS: done", "STATUS: retry", "STATUS:", "KEY: value", "A_B: {{task}}", "x: y", "HTTP://x", "_K: v", "K2: v"),
    *("<promise>COMPLETE</promise>", "say <promise>COMPLETE</promise>", " <promise>COMPLETE</promise> ", "<promise>"),
    *(
        "**STATUS:** done",
        "**STATUS**: retry",
        "**STATUS: blocked**",
        "- STATUS: done",
        "1. STATUS: retry",
        "## STATUS: done",
    ),
    *(
        "Status: Done",
        "status: retry",
        "STATUS\uff1adone",
        "STATUS: `done`",
        "- Summary: s",
        "**DECISION:** yes",
        "DECISION: no",
    ),
    *("* **DECISION:** no", "Decision: Yes", "decision: maybe", "- **Issues:** i", "```text", "```diff", "```yaml"),
    *("```", "```json", "````", "~~~", "~~~~", "   ```", "    ```", "``` `", "> quoted", "- item", "    code", ""),
    *("STORY_BLOCKED: why", "STORY_COMPLETE: US-1", "STORIES_JSON:", "STORIES_JSON: [", "STORIES_JSON: []"),
    *('STORIES_JSON: [{"id":"A","title":"T","acceptanceCriteria":["c"]}]', '[{"id":"A"}]', "[" * 3_000, '{"a":' * 9),
    *('{"operation":"skip","target_step_id":"s","reason":"r"}', '[{"operation":"split"}]', '{"operations":[1]}'),
    *(
        "\0",
        "\ud800",
        "\u2028",
        "\x85",
        "\ufeff",
        "\r",
        "\t",
        "🦊",
        "9" * 5_000,
        "NaN",
        "null",
        '"\\ud800"',
        "\\",
        "x" * 99,
    ),
)
LINES = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=12), max_size=14)
TEXTS = st.builds(lambda lines, end: end.join(lines), LINES, st.sampled_from(["\n", "\r\n", "\r", " ", ""])) | st.text()

_KEY = re.compile(r"([A-Z][A-Z_]{0,63})[:\uff1a](?![/:\\])")
_DECISION = re.compile(
    r"^(?:[-*] |\d[.] |## )?(?:\*\*)?DECISION(?:\*\*)?:(?:\*\*)? `?(yes|no)`?(?:\*\*)?$", re.IGNORECASE
)

_DECIDING = planned("coding", input="Decide.", decision_key="DECISION", routes=(Route(value="yes"), Route(value="no")))
DECIDING = pipeline_of((_DECIDING,)).steps[0]
ASKED = asked_of(DECIDING)


def outside_fences(text: str) -> list[str]:
    """A second reading of CommonMark's rules for fences, line by line, to hold the fast one against."""
    lines, fence = [], ""
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        bare = line.lstrip(" ")
        run = re.match(r"`{3,}|~{3,}", bare) if len(line) - len(bare) <= 3 else None
        if fence:
            if run and run[0].startswith(fence) and not bare[run.end() :].strip():
                fence = ""
        elif run and not (run[0][0] == "`" and "`" in bare[run.end() :]):
            fence = run[0]
        else:
            lines.append(line)
    return lines


def check_answer(text: str) -> None:
    """A plain reading of the lines finds every key in capitals; beyond these there are only keys that are asked for,
    and those in a fence if no key stands outside.
    """
    found = parse(text, ASKED)
    lines = outside_fences(text)
    promised = any(re.fullmatch(r" {0,3}<promise>COMPLETE</promise>[ \t]*", line) for line in lines)
    keys = {key[1].lower() for line in lines if (key := _KEY.match(line))}
    assert isinstance(found, Answer)
    given = {key for key, _ in found.outputs}
    hidden = {"summary", "stories_json", "story_blocked", "story_complete"}
    assert given >= keys - hidden or len(keys) > KEYS_LIMIT
    if keys:
        assert found.promise == promised
        assert given - keys <= COMMON | {"decision"}
    check_choice(text, found)
    assert size(found.summary) <= SUMMARY_LIMIT
    assert all(size(value) <= VALUE_LIMIT for _, value in found.outputs)
    assert "\0" not in repr(found)
    json.dumps([found.summary, found.outputs, found.blocked, found.complete], ensure_ascii=False).encode()


def check_choice(text: str, found: Answer) -> None:
    """A decision is never one of two that a plain reading finds; the reason for a refusal names both."""
    came_to = result(DECIDING, found)
    decisions = {
        word.lower() for line in outside_fences(text) for word in _DECISION.findall(line) if not line.startswith(" ")
    }
    if len(decisions) > 1:
        assert isinstance(came_to, InvalidAnswer)
    if found.conflicts:
        assert isinstance(came_to, InvalidAnswer)
        assert "ambiguous" in came_to.error
        assert found.status is None


def check_stories(text: str) -> None:
    found = stories(text)
    if isinstance(found, Problem):
        assert found.text
        found.text.encode()
        return
    ids = {story.id for story in found}
    assert 0 < len(ids) == len(found) <= MAX_STORIES
    for story in found:
        assert isinstance(story, Story)
        assert story.title
        assert story.criteria
        assert set(story.depends_on) <= ids - {story.id}


def check_edits(text: str) -> None:
    found = edits(text)
    if isinstance(found, Problem):
        assert found.text
        found.text.encode()
        return
    assert found
    for edit in found:
        assert isinstance(edit, Edit)
        assert edit.reason
        assert edit.target or edit.operation is Operation.REORDER


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_any_text_is_understood_as_a_plain_reading_would(text: str) -> None:
    check_answer(text)
    check_stories(text)
    check_edits(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "title", "acceptanceCriteria", "dependsOn", "priority", "operation", "reason", "steps", "type"]
            ),
            inner | st.sampled_from(["A", "skip", "split", "add_after"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(JSON)
def test_any_json_is_a_plan_or_a_problem_and_a_request_or_a_problem(value: object) -> None:
    check_stories(f"STORIES_JSON: {json.dumps(value)}")
    check_stories(f"STORIES_JSON: {json.dumps([value])}")
    check_edits(json.dumps(value))


WORDS = st.text(alphabet="abcé \n", min_size=1, max_size=30).filter(lambda text: text.strip())


@settings(deadline=None)
@given(st.dictionaries(st.from_regex(r"[A-Z][A-Z_]{0,8}", fullmatch=True), WORDS, max_size=6), WORDS)
def test_what_is_written_by_the_contract_is_read_back(values: dict[str, str], summary: str) -> None:
    hidden = {"SUMMARY", "STORIES_JSON", "STORY_BLOCKED", "STORY_COMPLETE"}
    shown = {key: value for key, value in values.items() if key not in hidden}
    lines = [f"{key}: {value}" for key, value in shown.items()]
    found = parse("\n".join(["Prose.", *lines, f"SUMMARY:\n{summary}"]))

    assert found.outputs == tuple((key.lower(), value.strip()) for key, value in shown.items())
    assert found.summary == summary.strip()


@st.composite
def plans(draw: st.DrawFn) -> list[dict[str, object]]:
    """Stories that depend only on earlier ones: no cycle is possible."""
    count = draw(st.integers(min_value=1, max_value=MAX_STORIES))
    return [
        {
            "id": f"US-{number}",
            "title": draw(WORDS),
            "acceptanceCriteria": draw(st.lists(WORDS, min_size=1, max_size=3)),
            "dependsOn": [
                f"US-{other}" for other in draw(st.sets(st.integers(0, number - 1)) if number else st.just(set()))
            ],
        }
        for number in range(count)
    ]


@settings(max_examples=60, deadline=None)
@given(plans(), st.data())
def test_a_sound_plan_is_accepted_and_closing_a_cycle_in_it_is_not(
    plan: list[dict[str, object]], data: st.DataObject
) -> None:
    found = stories(f"STORIES_JSON: {json.dumps(plan)}")
    assert not isinstance(found, Problem)
    assert [story.id for story in found] == [item["id"] for item in plan]

    last = data.draw(st.integers(0, len(plan) - 1))
    chain = [dict(item) for item in plan]
    for number in range(1, last + 1):
        chain[number]["dependsOn"] = [f"US-{number - 1}"]
    chain[0]["dependsOn"] = [f"US-{last}"]
    refused = stories(f"STORIES_JSON: {json.dumps(chain)}")

    assert isinstance(refused, Problem)
    assert refused.text.count(" → ") == last + 1


@pytest.mark.parametrize(
    "line", ["plain prose, as long as a line is.\n", "\n", "`", "# ", " ", "[", "A_", "**summary", "**a: ", "- x: y\n"]
)
def test_the_time_to_read_an_answer_grows_with_its_length_and_no_more(line: str) -> None:
    assert reading(line, 5_000_000) < 30 * max(reading(line, 500_000), 0.05), "ten times as long, and not a hundred"


def reading(line: str, size: int) -> float:
    """How long the thread works on a text of this size, however busy the machine is."""
    text = line * (size // len(line))
    begin = thread_time()
    parse(text)
    stories(f"STORIES_JSON: {text}")
    edits(text)
    return thread_time() - begin


def check_nasty_answers(count: int, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - nothing secret
    ends = ("\n", "\n", "\n", "\r\n", "\r", " ", "")
    for _ in range(count):
        text = dice.choice(ends).join(dice.choices(FRAGMENTS, k=dice.randrange(9)))
        check_answer(text)
        check_stories(text)
        check_edits(text)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_forty_thousand_nasty_answers(pytestconfig: pytest.Config) -> None:
    """Others with each seed of the test run, which is the commit's; `just fuzz-answers` tries more."""
    check_nasty_answers(40_000, pytestconfig.getoption("randomly_seed", 20))
