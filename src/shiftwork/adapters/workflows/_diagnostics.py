"""Mistakes in a workflow file and notes about it, each with its place."""

from collections.abc import Sequence
from typing import Final

from shiftwork.adapters.workflows._yaml import Place
from shiftwork.errors import WorkflowError
from shiftwork.records import dataclass, field

_SHOWN: Final = 20
"""How many mistakes an error lists at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """A message about a place."""

    place: Place
    text: str

    def message(self, name: str) -> str:
        return f"{name}:{self.place.line}:{self.place.column}: {self.text}"


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Collects diagnostics, so that the user sees all of them at once."""

    mistakes: list[Diagnostic] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)

    def mistake(self, place: Place, text: str) -> None:
        """Keeps one mistake for each place: consequences of it would only confuse."""
        if all(known.place != place for known in self.mistakes):
            self.mistakes.append(Diagnostic(place=place, text=text))

    def note(self, place: Place, text: str) -> None:
        self.notes.append(Diagnostic(place=place, text=text))


def in_order(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(diagnostics, key=lambda diagnostic: (diagnostic.place.line, diagnostic.place.column)))


def refused(name: str, mistakes: Sequence[Diagnostic]) -> WorkflowError:
    """The error that lists all mistakes in the order of the file."""
    ordered = in_order(mistakes)
    lines = [diagnostic.message(name) for diagnostic in ordered[:_SHOWN]]
    more = [f"and {len(ordered) - _SHOWN} more"] if len(ordered) > _SHOWN else []
    hint = "fix the file; shiftwork workflow schema lists every field"
    if len(ordered) == 1:
        return WorkflowError(lines[0], hint=hint)
    message = "\n".join(f"  {line}" for line in (*lines, *more))
    return WorkflowError(f"{name} has {len(ordered)} mistakes:\n{message}", hint=hint)
