"""An attack of the table: what it tries, where, how severe success would be, and the outcome on each tier.

A test that is marked with `attack` runs its attack and returns the outcome. It passes when its row has that outcome.
A test that takes `tier` runs on both, `auto` and `none`. A test that does not take it attacks a part without a sandbox:
it runs once, and its outcome holds for both. `just attacks` prints the rows as a table.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import pytest

TIERS: Final = ("auto", "none")


class Severity(StrEnum):
    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Outcome(StrEnum):
    PREVENTED = "prevented"
    REPORTED = "reported"
    SUCCEEDED = "succeeded"


class Harm(StrEnum):
    """What the attacker gains."""

    EXECUTION = "execution outside the sandbox"
    SECRETS = "access to secrets"
    WRITES = "writes outside"
    PROOF = "unproved work lands"
    LATER = "code for the user's own tools"
    CONSENT = "consent is bypassed"
    DENIAL = "denial of service"


NEVER_REPORTED: Final = frozenset({Harm.EXECUTION, Harm.SECRETS, Harm.WRITES})
"""Harms that a report after the fact does not repair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One row. `seen` is its number among the attacks that once succeeded, where it is one of them; `auto` and `none`
    are what must come of it on each tier.
    """

    name: str
    layer: str
    severity: Severity
    harm: Harm
    auto: Outcome = Outcome.PREVENTED
    none: Outcome = Outcome.PREVENTED
    seen: int | None = None

    def expected(self, tier: str) -> Outcome:
        return self.auto if tier == "auto" else self.none

    @property
    def complaint(self) -> str:
        """Why this row may not stand as it is; empty where it may."""
        if self.severity in {Severity.CRITICAL, Severity.HIGH} and self.auto is not Outcome.PREVENTED:
            return f"a {self.severity} attack must be prevented with the sandbox"
        if self.harm in NEVER_REPORTED and self.auto is not Outcome.PREVENTED:
            return f"{self.harm} must be prevented: a report comes too late"
        return ""


def attack[**P](row: Attack) -> Callable[[Callable[P, Outcome]], Callable[P, Outcome]]:
    """Marks a test that plays the attack and returns the outcome that it saw; on each tier if it takes `tier`."""

    def marked(test: Callable[P, Outcome]) -> Callable[P, Outcome]:
        tiered = "tier" in inspect.signature(test).parameters
        played = pytest.mark.parametrize("tier", TIERS)(test) if tiered else test
        marked: Callable[P, Outcome] = pytest.mark.attack(row)(played)
        return marked

    return marked
