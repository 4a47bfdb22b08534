"""Fail-to-pass: what the test gates say of a candidate whose changed product sources are as the base has them."""

from dataclasses import dataclass
from enum import StrEnum


class FailToPassOutcome(StrEnum):
    """What came of it: tests that are green without the change do not show the change."""

    ASSERTION = "red by assertion"
    LOADING = "red because it does not load"
    GREEN = "green"
    NOT_APPLICABLE = "not applicable"
    NO_TESTS = "no tests changed"


class NamedTestState(StrEnum):
    """How a test that was offered as evidence ended there. An `UNSEEN` one is named by no line as failing or passing.
    An `UNCHANGED` one is in a file that the story has not changed, and no line names it. An `UNTRIED` one is in a file
    that was put back with the product, or no gate was run: what it would have said is unknown.
    """

    RED = "red"
    ABSENT = "absent"
    GREEN = "green"
    UNSEEN = "not seen"
    UNCHANGED = "unchanged"
    UNTRIED = "not tried"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedTest:
    """`reference` is what the evidence names."""

    reference: str
    state: NamedTestState


@dataclass(frozen=True, slots=True, kw_only=True)
class FailToPass:
    """`reason` says why it is not applicable; of a red gate it is the name and the line by which it was judged."""

    outcome: FailToPassOutcome
    reason: str = ""
    tests: tuple[NamedTest, ...] = ()
