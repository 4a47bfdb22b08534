"""The criterion that every planned story gets in a project with a type checker."""

import pytest

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.domain.spec.typecheck import asks_for_typecheck, is_typecheck, with_typecheck


def story(*texts: str) -> Story:
    criteria = tuple(Criterion(id=f"AC-{number}", text=text) for number, text in enumerate(texts, start=1))
    return Story(id=StoryId("US-001"), title="Greet", description="", criteria=criteria)


def criteria(*texts: str, gate: Gate) -> list[tuple[str, str]]:
    (found,) = with_typecheck((story(*texts),), (Gate(name="test", command="pytest"), gate))
    return [(criterion.id, criterion.text) for criterion in found.criteria]


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("typecheck", "make types"),
        ("types", "sh check.sh"),
        ("lint", "uv run mypy src"),
        ("static", "npx tsc --noEmit"),
        ("build", "npm run type-check"),
        ("check", "cargo check --all-targets"),
    ],
)
def test_a_gate_that_checks_types_gives_a_story_its_criterion(name: str, command: str) -> None:
    gate = Gate(name=name, command=command)
    assert criteria("prints 1", gate=gate) == [("AC-1", "prints 1"), ("AC-2", "Typecheck passes")]


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("lint", "ruff check ."),
        ("test", "sh prototypes.sh"),
        ("a", "mypyx"),
        ("b", "ls types/"),
        ("c", "tsc --version"),
        ("d", "ruff --exclude mypy ."),
        ("e", "mypy . || true"),
    ],
)
def test_other_gates_do_not(name: str, command: str) -> None:
    assert not is_typecheck(name, command)
    assert criteria("prints 1", gate=Gate(name=name, command=command)) == [("AC-1", "prints 1")]


def test_nor_does_a_gate_that_proves_nothing() -> None:
    assert criteria("prints 1", gate=Gate(name="typecheck", command="mypy", blind=True)) == [("AC-1", "prints 1")]


@pytest.mark.parametrize(
    "said", ["Typecheck passes", "The type check passes.", "typechecking passes", "Type-check is green"]
)
def test_a_story_that_has_the_criterion_keeps_its_own_words(said: str) -> None:
    assert asks_for_typecheck(said)
    assert criteria(said, gate=Gate(name="typecheck", command="mypy")) == [("AC-1", said)]


def test_a_criterion_about_something_else_is_not_it() -> None:
    assert not asks_for_typecheck("The page says that the typecheck passes")
