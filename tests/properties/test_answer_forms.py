"""An answer in any form that agents like reads the same as the plain one, and never as two decisions."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.domain.workflow.pipeline import pipeline_of
from shiftwork.domain.workflow.workflow import Route
from shiftwork.prompts.answer.contract import Answer, parse
from shiftwork.prompts.answer.result import InvalidAnswer, Result, asked_of, result
from shiftwork.testing.builders import planned

VALUES = ("approved", "needs_fixes", "rejected")
EXPECTS = "STATUS: done\nDECISION: one of them\nCHANGES: what"
_PLAN = planned(
    "coding",
    input="Review it.",
    expects=EXPECTS,
    decision_key="DECISION",
    routes=tuple(Route(value=value) for value in VALUES),
)
STEP = pipeline_of((_PLAN,)).steps[0]
ASKED = asked_of(STEP)

CAPITALS = (
    "{key}: {value}",
    "{key}:{value}",
    "{key}\uff1a{value}",
    "{key} : {value}",
    "{key}: `{value}`",
    "{key}: **{value}**",
    "**{key}:** {value}",
    "**{key}**: {value}",
    "**{key}\uff1a** {value}",
    "**{key}: {value}**",
    "## {key}: {value}",
    "### **{key}:** `{value}`",
)
LISTED = (
    "- {key}: {value}",
    "* **{key}:** {value}",
    "* {key}: `{value}`",
    "\u2022 {key}\uff1a{value}",
    "- **{key}: {value}**",
    "{number}. {key}: {value}",
    "{number}) **{key}**: {value}",
)
FENCES = ("{answer}", "```\n{answer}\n```", "~~~text\n{answer}\n~~~", "```markdown\n{answer}\n```")
PROSE = ("", "All done.\n\n", "Status of the work is below.\n\n", "The answer:\n", "# Review\n\nFine.\n")
CASES = (str.upper, str.title, str.lower)

type Pairs = tuple[tuple[str, str], ...]


def pairs(decision: str, status: str, changes: str, summary: str) -> Pairs:
    return (("STATUS", status), ("DECISION", decision), ("CHANGES", changes), ("SUMMARY", summary))


def written(keys: Pairs, form: str, number: int, fence: str) -> str:
    """The keys in one form; `number` selects the letters."""
    case = CASES[number % len(CASES)]
    lines = (
        form.format(key=case(key), value=case(value) if key in {"STATUS", "DECISION"} else value, number=place)
        for place, (key, value) in enumerate(keys, start=1)
    )
    return fence.format(answer="\n".join(lines))


def same(found: Answer, plain: Answer) -> None:
    assert (found.status, found.summary) == (plain.status, plain.summary)
    lowered = {key: value.lower() if key in {"status", "decision"} else value for key, value in found.outputs}
    assert lowered == dict(plain.outputs)
    came_to, expected = result(STEP, found), result(STEP, plain)
    assert isinstance(came_to, Result)
    assert isinstance(expected, Result)
    assert (came_to.decision, came_to.notes) == (expected.decision, expected.notes)


def check(keys: Pairs, form: str, letters: int, fence: str, prose: str) -> None:
    plain = parse("\n".join(f"{key}: {value}" for key, value in keys), ASKED)
    fenced_prose = "" if "markdown" in fence else prose
    same(parse(fenced_prose + written(keys, form, letters, fence), ASKED), plain)


WORDS = st.text(alphabet="abcé 漢", min_size=1, max_size=20).map(str.strip).filter(bool)
KEYS = st.builds(pairs, st.sampled_from(VALUES), st.just("done"), WORDS, WORDS).flatmap(
    lambda found: st.permutations(found).map(tuple)
)


@settings(max_examples=400, deadline=None)
@given(KEYS, st.sampled_from(CAPITALS + LISTED), st.integers(0, 2), st.sampled_from(FENCES), st.sampled_from(PROSE))
def test_an_answer_in_any_form_reads_as_the_plain_one(
    keys: Pairs, form: str, letters: int, fence: str, prose: str
) -> None:
    check(keys, form, letters, fence, prose)


@settings(max_examples=300, deadline=None)
@given(KEYS, st.lists(st.sampled_from(CAPITALS), min_size=4, max_size=4))
def test_forms_may_be_mixed(keys: Pairs, forms: list[str]) -> None:
    plain = parse("\n".join(f"{key}: {value}" for key, value in keys), ASKED)
    lines = [form.format(key=key, value=value) for (key, value), form in zip(keys, forms, strict=True)]
    same(parse("\n".join(lines), ASKED), plain)


def refuse_both(keys: Pairs, other: str, form: str, at: int, letters: int) -> None:
    lines = [f"{key}: {value}" for key, value in keys]
    lines.insert(at, written((("DECISION", other),), form, letters, "{answer}"))
    found = result(STEP, parse("\n".join(lines), ASKED))
    assert isinstance(found, InvalidAnswer)
    assert "ambiguous" in found.error
    assert other in found.error


@settings(max_examples=300, deadline=None)
@given(KEYS, st.sampled_from(VALUES), st.sampled_from(CAPITALS + LISTED), st.integers(0, 4), st.integers(0, 2))
def test_two_different_decisions_are_refused_in_any_form(
    keys: Pairs, other: str, form: str, at: int, letters: int
) -> None:
    if other != dict(keys)["DECISION"]:
        refuse_both(keys, other, form, at, letters)


def check_forms(count: int, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - nothing secret
    forms = CAPITALS + LISTED
    for _ in range(count):
        keys = list(pairs(dice.choice(VALUES), "done", "a field", "It works."))
        dice.shuffle(keys)
        check(tuple(keys), dice.choice(forms), dice.randrange(3), dice.choice(FENCES), dice.choice(PROSE))
        decided = dict(keys)["DECISION"]
        other = dice.choice([value for value in VALUES if value != decided])
        refuse_both(tuple(keys), other, dice.choice(forms), dice.randrange(5), dice.randrange(3))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_thousand_forms(pytestconfig: pytest.Config) -> None:
    """Others with each seed of the test run, which is the commit's; `just fuzz-answers` tries more."""
    check_forms(10_000, pytestconfig.getoption("randomly_seed", 20))
