"""What all decisions share: they return only effects, and facts they conclude have no time yet."""

from shiftwork.domain.core import effect as e

type Effects = tuple[e.Effect, ...]

NOW = 0.0
"""Facts that follow from the state alone get their time when they are recorded."""


def receive(cursor: int) -> e.Receive:
    return e.Receive(key=f"receive/{cursor}", cursor=cursor)
