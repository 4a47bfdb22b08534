"""How the command line says things: time, states, what to type. Plain text, aligned, readable without colour."""

import os
import sys
import time
from collections.abc import Sequence
from typing import Final

from shiftwork.entrypoints.cli.clean import cells, one_line

WIDTH: Final = 100
"""Where nothing tells how wide the output is shown."""

_NARROWEST: Final = 40
_STATES: Final = {"in_progress": "working", "completed": "done", "unclaimed": "waiting"}


def duration(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    if seconds < 9.95:
        return f"{max(seconds, 0):.1f} s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def o_clock(at: float) -> str:
    """The time of day where the command was typed."""
    return time.strftime("%H:%M:%S", time.localtime(at))


def between(start: float | None, end: float | None) -> float | None:
    return None if start is None or end is None else end - start


def state(status: str, *, moving: bool = True) -> str:
    """A word for a status; what is under way in a run that nobody works on has stopped."""
    return "stopped" if status == "in_progress" and not moving else _STATES.get(status, status)


def look_at(commits: Sequence[str], branch: str) -> str:
    """The command that shows what has landed."""
    return f"git show {commits[0][:10]}" if len(commits) == 1 else f"git log --stat -{len(commits)} {branch}"


def reply_to(run: str, story: str, waiting: str) -> str:
    """What to type for a story that waits for a person, by what it waits for."""
    cause, colon, _ = waiting.partition(":")
    known = {
        "limit": f"shiftwork resume {run} {limit_option(waiting)} {'USD' if 'USD' in waiting else 'N'}",
        "approval": f"shiftwork approve {story} (or: shiftwork reject {story} --because …)",
        "exhausted": f"shiftwork approve {story} (one more round; or: shiftwork reject {story})",
    }
    return known.get(cause if colon else "", f'shiftwork answer {story} "…"')


def limit_option(waiting: str) -> str:
    """The option that raises the limit which a story waits for: the run's, the story's or a step's own."""
    whose = "" if ": the run" in waiting else "story-" if ": the story" in waiting else "step-"
    return f"--max-{whose}{'cost' if 'USD' in waiting else 'tokens'}"


def width() -> int:
    """Of the terminal; a fixed one where the output goes elsewhere."""
    try:
        return max(os.get_terminal_size(sys.stdout.fileno()).columns, _NARROWEST)
    except (OSError, ValueError):
        return WIDTH


def padded(text: str, room: int) -> str:
    """On one line, cut or filled to exactly `room` columns."""
    line = one_line(text, room)
    return line + " " * (room - cells(line))


def facts(pairs: list[tuple[str, str]], *, indent: str = "  ") -> str:
    """Names and values in two columns; empty values are left out."""
    kept = [(name, value) for name, value in pairs if value]
    room = max((len(name) for name, _ in kept), default=0)
    return "\n".join(f"{indent}{name:<{room}}  {value}" for name, value in kept)
