"""What attacks on secrets share."""

from typing import Final

from tests.attacks.table import Attack, Harm, Outcome, Severity

SECRET: Final = "correct-horse-battery-staple"  # noqa: S105 - a word to look for


def row(name: str, severity: Severity, harm: Harm, seen: int | None = None) -> Attack:
    return Attack(name=name, layer="secrets", severity=severity, harm=harm, seen=seen)


def open_without(name: str, severity: Severity, harm: Harm, seen: int | None = None) -> Attack:
    """A row about what the sandbox keeps closed: without one, an agent has the user's rights."""
    return Attack(name=name, layer="secrets", severity=severity, harm=harm, none=Outcome.SUCCEEDED, seen=seen)
