"""What is wrong with a workflow file, or worth knowing about it, each with its place."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from shiftwork.adapters.workflows._yaml import Place
from shiftwork.errors import WorkflowError

_SHOWN: Final = 20
"""How many mistakes are told at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A sentence about a place."""

    place: Place
    text: str

    def told(self, name: str) -> str:
        return f"{name}:{self.place.line}:{self.place.column}: {self.text}"


@dataclass(frozen=True, slots=True)
class Findings:
    """Gathers, so that a reader is told everything at once."""

    mistakes: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)

    def mistake(self, place: Place, text: str) -> None:
        """One mistake a place: what follows from it would only confuse."""
        if all(known.place != place for known in self.mistakes):
            self.mistakes.append(Finding(place=place, text=text))

    def note(self, place: Place, text: str) -> None:
        self.notes.append(Finding(place=place, text=text))


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda one: (one.place.line, one.place.column)))


def refused(name: str, mistakes: Sequence[Finding]) -> WorkflowError:
    """The error that tells all mistakes in the order of the file."""
    ordered = in_order(mistakes)
    lines = [one.told(name) for one in ordered[:_SHOWN]]
    more = [f"and {len(ordered) - _SHOWN} more"] if len(ordered) > _SHOWN else []
    hint = "mend the file; shiftwork workflow schema has every field"
    if len(ordered) == 1:
        return WorkflowError(lines[0], hint=hint)
    told = "\n".join(f"  {one}" for one in (*lines, *more))
    return WorkflowError(f"{name} has {len(ordered)} mistakes:\n{told}", hint=hint)
