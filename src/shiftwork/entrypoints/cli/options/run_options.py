"""The options that a run keeps and that `resume` and `retry` change: agent, model, stories at once, trust, limits."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import click

from shiftwork.entrypoints.cli.options.limits import Bounds, limited, taken

AGENTS: Final = ("claude-code", "codex", "acp", "command")
"""Written out, because reading them from the settings' own type would load all of that for `--help`."""

STORIES: Final = click.IntRange(1, 200)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What was named; None where nothing was, and it stays as it is."""

    bounds: Bounds = Bounds()
    agent: str | None = None
    model: str | None = None
    parallel: int | None = None
    trust: bool = False

    @property
    def said(self) -> bool:
        return self.bounds.said or self.parallel is not None or bool(self.at_start)

    @property
    def at_start(self) -> tuple[str, ...]:
        """What was named that a process only reads when it starts to work on the run, as it was typed."""
        typed = {"--agent": self.agent, "--model": self.model}
        named = [f"{option} {value or repr(value)}" for option, value in typed.items() if value is not None]
        return (*named, *(("--trust",) if self.trust else ()))


def changeable(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the options; `changes` takes them from what was typed."""
    trust = click.option("--trust", is_flag=True, help="Let this run use the repository's commands as they are now.")
    parallel = click.option("--parallel", type=STORIES, metavar="N", help="From now on at most N stories at once.")
    model = click.option("--model", metavar="NAME", help="From now on ask the agent for this model.")
    agent = click.option("--agent", type=click.Choice(AGENTS), help="From now on another agent works.")
    return agent(model(limited(parallel(trust(command)))))


def changes(asked: dict[str, Any]) -> Changes:
    return Changes(bounds=taken(asked), **asked)
