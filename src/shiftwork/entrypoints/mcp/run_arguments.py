"""Checks the arguments of a client before a command sees them: nothing in them is an option, or a limit above that of
the settings.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from shiftwork.bootstrap.run_request import LONGEST_NAME, LONGEST_TEXT, argument
from shiftwork.entrypoints.mcp.run_tools import LIMITS
from shiftwork.errors import UsageError


def run_words(run: str, option: str = "") -> tuple[str, ...]:
    """The words that name a run; none for the newest."""
    name = argument("run", run, LONGEST_NAME)
    return () if not name else (f"{option}={name}",) if option else ("--", name)


def story_of(story: str) -> str:
    if not story.strip():
        raise UsageError("the story is empty", hint="the tool status lists the stories")
    return argument("story", story, LONGEST_NAME)


def answer_of(text: str) -> str:
    return argument("text", text, LONGEST_TEXT)


def limit_words(limits: Mapping[str, float], settings: Any) -> Iterator[str]:
    """The limits as options. `settings` are those of the user: a client may lower them."""
    for name, value in limits.items():
        most = getattr(settings, LIMITS[name][1], None)
        if most is not None and value > most:
            message = f"{name} is {value}, and limits.{LIMITS[name][1]} in shiftwork.toml is {most}"
            raise UsageError(message, hint="give a lower limit, or none; only a person can raise it")
        yield f"--{name.replace('_', '-')}={value}"
