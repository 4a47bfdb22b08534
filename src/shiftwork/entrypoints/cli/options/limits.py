"""The options for limits: money and tokens, for the run, each story and each step; sessions, not for steps."""

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final

import click

from shiftwork.records import dataclass

MOST_MONEY: Final = 1_000_000_000
MOST_TOKENS: Final = 10**15
MOST_SESSIONS: Final = 1_000_000
"""The same as in the settings, which are slow to import for `--help`."""


class Money(click.FloatRange):
    """A finite amount: `inf` or `nan` would be no limit."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True, max=MOST_MONEY)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        amount = super().convert(value, param, ctx)
        if not math.isfinite(amount):
            self.fail(f"{amount} is not an amount of money.", param, ctx)
        return amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The given limits; None for those not given."""

    max_cost: float | None = None
    max_tokens: int | None = None
    max_sessions: int | None = None
    max_story_cost: float | None = None
    max_story_tokens: int | None = None
    max_story_sessions: int | None = None
    max_step_cost: float | None = None
    max_step_tokens: int | None = None

    @property
    def said(self) -> bool:
        return any(getattr(self, field.name) is not None for field in fields(self))


def taken(asked: dict[str, Any]) -> Bounds:
    """Removes the limits from the given options and returns them."""
    return Bounds(**{field.name: asked.pop(field.name) for field in fields(Bounds)})


def limited(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options to a command."""
    money, tokens, sessions = Money(), click.IntRange(min=1, max=MOST_TOKENS), click.IntRange(min=1, max=MOST_SESSIONS)
    for whose in ("step", "story", ""):
        name = f"max-{whose}-" if whose else "max-"
        message = f"for each {whose}" if whose else "for the whole run"
        counted = click.option(f"--{name}tokens", type=tokens, metavar="N", help=f"Maximum number of tokens {message}.")
        paid = click.option(f"--{name}cost", type=money, metavar="USD", help=f"Maximum cost {message}.")
        if whose != "step":
            begun = f"Maximum number of agent sessions {message}."
            command = click.option(f"--{name}sessions", type=sessions, metavar="N", help=begun)(command)
        command = paid(counted(command))
    return command
