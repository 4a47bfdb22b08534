"""How the command line says things: time, states, what to type. Plain text, aligned, readable without colour."""

import os
import re
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from shiftwork.app.runtime import state_labels
from shiftwork.app.views import amounts
from shiftwork.domain.agents.idle_time import Idle
from shiftwork.domain.budget.amounts import Reached
from shiftwork.entrypoints.cli.render import raise_hint
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line, plain

type Step = tuple[str, str]
"""A command to type, and when or what for; empty where that goes without saying."""

WIDTH: Final = 100
"""How wide output is laid out where it goes to no terminal: long lines continue below, and nothing of them is cut."""

_ENDLESS: Final = 10_000
"""Columns of a file or a pipe: only lines that are too long to read are cut."""

_NARROWEST: Final = 40
_WIDEST_CHARACTER: Final = 2
_GIST_HEAD: Final = 2
_GIST_LINES: Final = 5
_GIST_TAIL: Final = 2
_NEXT: Final = "next: "
_NOISE: Final = ("make: ***", "make[", "error: Recipe ")
"""How lines begin by which runners of recipes say once more that something has failed."""
_TELLING: Final = re.compile(
    r"^broken before|^refused by the sandbox|assert\w*|error:|\bexpected\b|\bpanicked\b|^E\s|✗|✕", re.IGNORECASE
)
"""Lines that say what was wrong, where a gate prints a page."""


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


def landing(ended: Iterable[float | None], gate: str = "") -> str:
    """What is done for a story that has asked to land, by when its steps have ended: it asks when the last one has. The
    gate that runs is named where it is known.
    """
    last = max((at for at in ended if at is not None), default=None)
    since = "" if last is None else f" since {o_clock(last)}"
    return f"landing{since}: {gate or 'gates run on the very tree that is to land'}"


def between(start: float | None, end: float | None) -> float | None:
    return None if start is None or end is None else end - start


def took(start: float | None, end: float | None, lost: Idle) -> str:
    """How long it was from start to end, and how much of that it only waited; nothing of what is not over."""
    whole = between(start, end)
    return "" if whole is None else duration(whole) + amounts.waiting(lost, duration)


def in_all(column: str, attempts: Iterable[int]) -> str:
    """The heading of a column of times, which are those of all tries: where there were several, that is said."""
    return f"{column} in all" if any(tries > 1 for tries in attempts) else column


def state(
    status: str, *, moving: bool = True, waits: bool = False, limited: bool = False, proof: str | None = None
) -> str:
    """The one word for how a run, a story or a step stands; see `states.word`."""
    return state_labels.word(status, moving=moving, waits=waits, limited=limited, proof=proof)


def look_at(commits: Sequence[str], branch: str) -> str:
    """The command that shows what has landed, also where attributes that landed with it say that it is no text."""
    shown = f"show --text {commits[0][:10]}" if len(commits) == 1 else f"log --stat --text -{len(commits)} {branch}"
    return f"git {shown}"


def replies(run: str, story: str, hold: str, reached: Reached | None = None, naming: str = "") -> tuple[Step, ...]:
    """What to type for a story that waits for a person, by what it waits for; `naming` is how its run is named."""
    if hold == "limit":
        return ((raise_hint.command(run, reached), ""),)
    yes, no = f"shiftwork approve {story}{naming}", f"shiftwork reject {story}{naming}"
    ends = "the story ends, and nothing lands"
    known: dict[str, tuple[Step, ...]] = {
        "approval": ((yes, ""), (f"{no} --because …", "or")),
        "changed": ((yes, "land it as it is now"), (f"{no} --because …", "or")),
        "evidence": ((yes, "it holds: land it"), (no, f"or it does not: {ends}")),
        "dependencies": ((yes, "judge it in the environment as it is"), (no, f"or {ends}")),
        "exhausted": ((yes, "one more round"), (no, "or give it up")),
        "question": ((f'shiftwork answer {story} "…"{naming}', ""),),
    }
    # Of one that an earlier release has held, the cause may not be known: `resume` finds it.
    return known.get(hold, ((f"shiftwork resume {run}", ""),))


def first_look(story: str, hold: str, naming: str = "") -> tuple[Step, ...]:
    """What to look at before a reply: work is approved and confirmed as it is, and so it must have been seen."""
    diff = f"shiftwork diff {story}{naming}"
    if hold == "changed":
        return (f"{diff} --since-approved", "what has changed since you approved it"), (diff, "all of it")
    return ((diff, "look at it first"),) if hold in {"approval", "evidence", "dependencies"} else ()


def reply_to(run: str, story: str, hold: str, reached: Reached | None = None, naming: str = "") -> str:
    """Both on one line."""
    look = "".join(f"{command}, then: " for command, _ in first_look(story, hold, naming)[:1])
    return look + ", or: ".join(command for command, _ in replies(run, story, hold, reached, naming))


def naming(run: str, *, meant: bool) -> str:
    """How a run is named in a command for a story: not at all, where it is the one that would be `meant` anyway."""
    return "" if meant else f" --run {run}"


def width() -> int:
    """How much of a line is shown: what the terminal has room for, and all of it where the output goes elsewhere."""
    return _terminal() or _ENDLESS


def layout() -> int:
    """The width at which lines continue below, and to which columns are filled."""
    return _terminal() or WIDTH


def _terminal() -> int | None:
    try:
        return max(os.get_terminal_size(sys.stdout.fileno()).columns, _NARROWEST)
    except (OSError, ValueError):
        return None


def following(steps: Iterable[Step], label: str = _NEXT) -> Iterator[str]:
    """Each command on a line of its own, so that it can be typed as it stands; what for beside it if there is room."""
    for command, why in steps:
        line, beside = f"{label}{command}", f"    ({why})" if why else ""
        fits = cells(line + beside) <= layout()
        yield line + beside if fits else line
        label = " " * len(label)
        if not fits and why:
            yield f"{label}  ({why})"


def wrapped(text: str, room: int, *, most: int) -> list[str]:
    """In lines of at most `room` columns that end between words, and no more than so many of them: the last is cut."""
    room = max(room, _WIDEST_CHARACTER)
    left = one_line(text, most * (room + 1))
    lines: list[str] = []
    while left and len(lines) < most - 1:
        line = _first_words(left, room)
        lines.append(line)
        left = left[len(line) :].lstrip()
    return [*lines, one_line(left, room)] if left else lines


def _first_words(text: str, room: int) -> str:
    """As many whole words as there is room for; of a word that is longer than that, as much as there is room for."""
    kept = len(text)
    while cells(text[:kept]) > room:
        kept -= 1
    if kept == len(text) or text[kept] == " ":
        return text[:kept]
    return text[:kept].rpartition(" ")[0] or text[: max(kept, 1)]


def gist(text: str, room: int) -> list[str]:
    """What happened and, where a gate or an agent has printed more, what it says was wrong, and the end of it. A mark
    stands where lines are left out.
    """
    head, *rest = [line.strip() for line in plain(text).split("\n") if line.strip()] or [""]
    told = [line for line in rest if not line.startswith(_NOISE)] or rest
    shown = (one_line(line, max(room, 1)) for line in _marked(told, _telling(told)))
    return [*wrapped(head, room, most=_GIST_HEAD), *shown]


def _telling(lines: Sequence[str]) -> Sequence[int]:
    """Which of them to show: all, or the first that say what was wrong and the last."""
    places = range(len(lines))
    if len(lines) <= _GIST_LINES:
        return places
    ends = places[-_GIST_TAIL:]
    wrong = [place for place in places if place not in ends and _TELLING.search(lines[place])]
    return [*wrong[: _GIST_LINES - _GIST_TAIL], *ends]


def _marked(lines: Sequence[str], chosen: Sequence[int]) -> Iterator[str]:
    before = -1
    for place in chosen:
        if place > before + 1:
            yield "…"
        yield lines[place]
        before = place


def labelled(label: str, lines: Sequence[str]) -> Iterator[str]:
    """The lines after their label, the further ones below the first."""
    for number, line in enumerate(lines):
        yield f"{' ' * len(label) if number else label}{line}"


def filled(text: str, margin: int) -> str:
    """On one line that leaves `margin` columns of the layout free; where there is no terminal, nothing of it is cut."""
    line = one_line(text, width() - margin)
    return line + " " * (layout() - margin - cells(line))


def padded(text: str, room: int) -> str:
    """On one line, cut or filled to exactly `room` columns."""
    line = one_line(text, room)
    return line + " " * (room - cells(line))


def facts(pairs: list[tuple[str, str]]) -> str:
    """Names and values in two columns; empty values are left out, long ones go on below, and no word is broken."""
    kept = [(name, value) for name, value in pairs if value]
    names = max((len(name) for name, _ in kept), default=0)
    room = max(layout() - names - 4, 1)
    rows = ((name, textwrap.wrap(value, room, break_long_words=False, break_on_hyphens=False)) for name, value in kept)
    return "\n".join(line for name, lines in rows for line in labelled(f"  {name:<{names}}  ", lines))
