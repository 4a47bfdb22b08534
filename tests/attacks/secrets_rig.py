"""What attacks on secrets share."""

from typing import Final

from tests.attacks.table import Attack, Harm, Severity

SECRET: Final = "correct-horse-battery-staple"  # noqa: S105 - a word to look for


def row(name: str, severity: Severity, harm: Harm, seen: int | None = None) -> Attack:
    return Attack(name=name, layer="secrets", severity=severity, harm=harm, seen=seen)
