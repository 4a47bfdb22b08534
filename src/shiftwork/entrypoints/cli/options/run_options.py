"""The options that a run keeps and that `resume` and `retry` change: agent, model, parallel, gates, trust, limits."""

from collections.abc import Callable
from typing import Any, Final

import click

from shiftwork.config.agents.kinds import AGENTS
from shiftwork.entrypoints.cli.options.limits import Bounds, limited, taken
from shiftwork.records import dataclass

STORIES: Final = click.IntRange(1, 200)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The given options; None for those not given, which stay as they are."""

    bounds: Bounds = Bounds()
    agent: str | None = None
    model: str | None = None
    parallel: int | None = None
    keep_going: bool = False
    without_gates: tuple[str, ...] = ()
    trust: bool = False

    @property
    def said(self) -> bool:
        named = self.parallel is not None or self.keep_going or bool(self.without_gates)
        return self.bounds.said or named or bool(self.at_start)

    @property
    def at_start(self) -> tuple[str, ...]:
        """The given options that a process reads only when it starts to work on the run, as typed."""
        typed = {"--agent": self.agent, "--model": self.model}
        named = [f"{option} {value or repr(value)}" for option, value in typed.items() if value is not None]
        return (*named, *(("--trust",) if self.trust else ()))


def changeable(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options to a command; `changes` reads them."""
    trust = click.option("--trust", is_flag=True, help="Let this run use the repository's commands as they are now.")
    parallel = click.option("--parallel", type=STORIES, metavar="N", help="At most N stories at once from now on.")
    going = click.option("--keep-going", is_flag=True, help="Continue with the next story after one that failed.")
    model = click.option("--model", metavar="NAME", help="Use this model from now on.")
    agent = click.option("--agent", type=click.Choice(AGENTS), help="Use this agent from now on.")
    without = click.option(
        "--without-gate", "without_gates", multiple=True, metavar="NAME", help="Continue without this gate from now on."
    )
    return agent(model(limited(parallel(going(without(trust(command)))))))


def changes(asked: dict[str, Any]) -> Changes:
    return Changes(bounds=taken(asked), **asked)
