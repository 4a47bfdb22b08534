"""Tables that name a handler for each kind of fact; each line is checked to fit its kind."""

from collections.abc import Callable
from typing import cast

from shiftwork.domain.core.fact import Fact

type Handler[S, R] = Callable[[S, Fact], R]
type Handlers[S, R] = dict[type[Fact], Handler[S, R]]


def on[S, F: Fact, R](kind: type[F], handler: Callable[[S, F], R]) -> tuple[type[Fact], Handler[S, R]]:
    """A line of a table. Callers look a handler up by the type of the fact, so it receives only facts of its kind."""
    return kind, cast("Handler[S, R]", handler)


def handlers[S, R](*lines: tuple[type[Fact], Handler[S, R]]) -> Handlers[S, R]:
    return dict(lines)
