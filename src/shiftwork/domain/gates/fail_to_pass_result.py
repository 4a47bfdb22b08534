"""Fail-to-pass: results of the test gates on a candidate whose product sources are restored from the base."""

from enum import StrEnum

from shiftwork.records import dataclass


class FailToPassOutcome(StrEnum):
    """The result: tests that are green without the change do not prove the change."""

    ASSERTION = "red by assertion"
    LOADING = "red because it does not load"
    GREEN = "green"
    NOT_APPLICABLE = "not applicable"
    NO_TESTS = "no tests changed"


class NamedTestState(StrEnum):
    """How a test that was offered as evidence ended in that run. `UNSEEN`: no line reports it as failing or passing.
    `UNCHANGED`: no line names it, and the story has not changed its file. `UNTRIED`: its file was restored along with
    the product, or no gate ran, so its result is unknown.
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
    """`reason` says why it is not applicable; for a red gate, it is the gate's name and the deciding line."""

    outcome: FailToPassOutcome
    reason: str = ""
    tests: tuple[NamedTest, ...] = ()
