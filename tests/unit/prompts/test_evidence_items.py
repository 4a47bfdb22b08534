"""The list of evidence in an answer: the documented form, forms that obviously mean it, and what is not understood."""

import pytest

from shiftwork.domain.proof.claim import NOT_UNDERSTOOD, Evidence
from shiftwork.prompts.answer.evidence_items import claims_of, remark_on

CRITERIA = ("AC-1", "AC-2", "VS-1")

READ = {
    "AC-1 citation src/greet.py:3-5": ("citation", "src/greet.py:3-5"),
    "AC-1 `test` `tests/test_a.py::test_b`": ("test", "tests/test_a.py::test_b"),
    "AC-1 step VS-1": ("step", "VS-1"),
    "AC-1: test: it greets by name": ("test", "it greets by name"),
    "**AC-1:** (Test) test_b": ("test", "test_b"),
    "AC-1 : citation src/greet.py:3": ("citation", "src/greet.py:3"),
    "AC-1\uff1a tests/test_a.py::test_b": ("test", "tests/test_a.py::test_b"),
    "AC-1: tests/cart.test.js::adds two items": ("test", "tests/cart.test.js::adds two items"),
    "AC-1: src/greet.py:3 says hello": ("citation", "src/greet.py:3"),
    "AC-1: tests/test_cart.py": ("citation", "tests/test_cart.py"),
    "AC-1 greet.py": ("citation", "greet.py"),
    "AC-1: test_greets": ("test", "test_greets"),
}


@pytest.mark.parametrize("line", READ)
def test_a_line_is_read_if_its_meaning_is_obvious(line: str) -> None:
    kind, reference = READ[line]
    found = claims_of([line], CRITERIA)
    assert found.claims == (Evidence(criterion="AC-1", kind=kind, reference=reference),)
    assert found.not_understood == ()


@pytest.mark.parametrize("said", ["done", "the code adds items", "test", "", "-"])
def test_a_line_about_a_criterion_that_says_nothing_checkable_is_kept_as_such(said: str) -> None:
    line = f"AC-1: {said}".strip()
    found = claims_of([line], CRITERIA)
    assert found.claims == (Evidence(criterion="AC-1", kind=NOT_UNDERSTOOD, reference=said),)
    assert found.not_understood == (line,)


@pytest.mark.parametrize("line", ["AC-9 citation a.py:1", "everything works", "``"])
def test_a_line_that_names_no_criterion_of_the_story_is_only_reported(line: str) -> None:
    found = claims_of([line], CRITERIA)
    assert (found.claims, found.not_understood) == ((), (line,))


def test_the_note_says_how_many_lines_were_not_understood_and_the_form() -> None:
    assert remark_on(()) == ""
    one = remark_on(("AC-1: done",))
    assert one == "1 line of evidence was not understood: AC-1: done. Write each as: AC-1 citation src/greet.py:3"
    assert remark_on(tuple("abcdefg")).startswith("7 lines of evidence were not understood: a; b; c; d; e. ")
