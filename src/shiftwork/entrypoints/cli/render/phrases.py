"""The words of the command line: time, states, what to type. Plain text, aligned, readable without colour."""

import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Final

from shiftwork.app.runtime import state_labels
from shiftwork.app.views import amounts
from shiftwork.app.views.run_views import RunView
from shiftwork.app.views.text.failure_line import WHOLE_LOG, failure_parts, is_noise
from shiftwork.domain.budget.amounts import Reached
from shiftwork.entrypoints.cli.render import raise_hint
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line, plain
from shiftwork.ports.rows.row_parts import WaitCause
from shiftwork.regexes import regex

type Step = tuple[str, str]
"""A command to type, and when or why; the reason is empty if it is obvious."""

WIDTH: Final = 100
"""The layout width without a terminal: long lines continue below, and nothing is cut."""

_ENDLESS: Final = 10_000
"""The width for a file or a pipe: only lines too long to read are cut."""

_NARROWEST: Final = 40
_fixed: ContextVar[int | None] = ContextVar("fixed", default=None)
_WIDEST_CHARACTER: Final = 2
_KEPT: Final = 0.6
"""How much of the room a shortened text must fill."""
_GIST_HEAD: Final = 2
_GIST_LINES: Final = 5
_ERROR_LINES: Final = 3
_PLACED: Final = regex(r"^[^:]+:\d+: ")
_GIST_TAIL: Final = 2
_NEXT: Final = "next: "
_CAUSE: Final = regex(
    r"^broken before|^refused by the sandbox|assert\w*|error:|\bexpected\b|\bpanicked\b|^E\s|✗|✕", re.IGNORECASE
)
"""Lines that name the cause, in a long output of a gate."""
_SHOWN_FIRST: Final = frozenset({WaitCause.APPROVAL, WaitCause.EVIDENCE, WaitCause.DEPENDENCIES})
"""What a person should see work for before they answer."""


def o_clock(at: float) -> str:
    """The time of day where the command was typed."""
    return time.strftime("%H:%M:%S", time.localtime(at))


def dated(at: float) -> str:
    """The date and the time of day where the command was typed."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def landing(ended: Iterable[float | None], gate: str = "") -> str:
    """The activity of a story that is ready to merge, since its last step ended, with the running gate if known."""
    last = max((at for at in ended if at is not None), default=None)
    since = "" if last is None else f" since {o_clock(last)}"
    return f"landing{since}: {gate or 'gates run on the tree that will land'}"


def between(start: float | None, end: float | None) -> float | None:
    return None if start is None or end is None else end - start


def took(view: RunView) -> str:
    """How long a run was worked on, and how long it waited beside that; empty if it has not ended."""
    began, ended = view.run.started_at, view.run.ended_at
    if began is None or ended is None:
        return ""
    worked = amounts.worked(began, ended, view.idle, amounts.duration)
    return worked + amounts.waiting(view.idle, amounts.duration)


def in_all(column: str, attempts: Iterable[int]) -> str:
    """The heading of a column of times, which include all tries: it says so if there were several."""
    return f"{column} in all" if any(tries > 1 for tries in attempts) else column


def state(
    status: str, *, moving: bool = True, waits: bool = False, limited: bool = False, proof: str | None = None
) -> str:
    """The word for the state of a run, a story or a step; see `states.word`."""
    return state_labels.word(status, moving=moving, waits=waits, limited=limited, proof=proof)


def look_at(commits: Sequence[str], branch: str) -> str:
    """The command that shows the landed work as text, even if landed attributes mark it as binary."""
    shown = f"show --text {commits[0][:10]}" if len(commits) == 1 else f"log --stat --text -{len(commits)} {branch}"
    return f"git {shown}"


def replies(
    run: str, story: str, cause: WaitCause, reached: Reached | None = None, naming: str = ""
) -> tuple[Step, ...]:
    """What to type for a story that needs a person, by what it waits for; `naming` names its run."""
    if cause is WaitCause.LIMIT:
        return ((raise_hint.command(run, reached), ""),)
    yes, no = f"shiftwork approve {story}{naming}", f"shiftwork reject {story}{naming}"
    ends = "the story ends, and nothing lands"
    known: dict[WaitCause, tuple[Step, ...]] = {
        WaitCause.APPROVAL: ((yes, ""), (f"or: {no} --because …", "")),
        WaitCause.CHANGED: ((yes, "land it as it is now"), (f"or: {no} --because …", "")),
        WaitCause.EVIDENCE: ((yes, "it holds: land it"), (f"or: {no}", f"it does not hold: {ends}")),
        WaitCause.DEPENDENCIES: ((yes, "run its gates in the current environment"), (f"or: {no}", ends)),
        WaitCause.MESSAGE: (
            (f'shiftwork answer {story} "…"{naming}', "land it with this subject"),
            (f"or: {yes}", "land it as it is worded"),
            (f"or: {no}", ends),
        ),
        WaitCause.EXHAUSTED: ((yes, "one more round"), (f"or: {no}", "give it up")),
        WaitCause.QUESTION: ((f'shiftwork answer {story} "…"{naming}', ""),),
    }
    # For a hold of an earlier release the cause may be unknown: `resume` finds it.
    return known.get(cause, ((f"shiftwork resume {run}", ""),))


def first_look(story: str, cause: WaitCause, naming: str = "") -> tuple[Step, ...]:
    """What to look at before a reply: the user should see work before approving or confirming it."""
    diff = f"shiftwork diff {story}{naming}"
    if cause is WaitCause.CHANGED:
        return (f"{diff} --since-approved", "what has changed since you approved it"), (diff, "all of it")
    return ((diff, "look at it first"),) if cause in _SHOWN_FIRST else ()


def reply_to(run: str, story: str, cause: WaitCause, reached: Reached | None = None, naming: str = "") -> str:
    """The look and the replies on one line."""
    look = "".join(f"{command}, then: " for command, _ in first_look(story, cause, naming)[:1])
    return look + ", ".join(command for command, _ in replies(run, story, cause, reached, naming))


def naming(run: str, *, meant: bool) -> str:
    """The option that names a run in a command for a story; empty if the command finds the run without it."""
    return "" if meant else f" --run {run}"


def width() -> int:
    """The width of a line: that of the terminal, or unlimited without one."""
    return _terminal() or _ENDLESS


def layout() -> int:
    """The width at which lines continue below, and to which columns are filled."""
    return _terminal() or WIDTH


@contextmanager
def at_width(columns: int) -> Iterator[None]:
    """Output within this block is as wide as on a terminal with so many columns."""
    before = _fixed.set(columns)
    try:
        yield
    finally:
        _fixed.reset(before)


def _terminal() -> int | None:
    if fixed := _fixed.get():
        return fixed
    try:
        return max(os.get_terminal_size(sys.stdout.fileno()).columns, _NARROWEST)
    except (OSError, ValueError):
        return None


def following(steps: Iterable[Step], label: str = _NEXT) -> Iterator[str]:
    """Each command on its own line, so that it can be copied; the reason beside it if it fits."""
    for command, why in steps:
        line, beside = f"{label}{command}", f"    ({why})" if why else ""
        fits = cells(line + beside) <= layout()
        yield line + beside if fits else line
        label = " " * len(label)
        if not fits and why:
            yield f"{label}  ({why})"


def wrapped(text: str, room: int, *, most: int) -> list[str]:
    """Lines of at most `room` columns that end between words, at most `most` of them: the last is cut."""
    room = max(room, _WIDEST_CHARACTER)
    left = one_line(text, most * (room + 1))
    lines: list[str] = []
    while left and len(lines) < most - 1:
        line = _first_words(left, room)
        lines.append(line)
        left = left[len(line) :].lstrip()
    return [*lines, one_line(left, room)] if left else lines


def _first_words(text: str, room: int) -> str:
    """As many whole words as fit; of a longer word, as much as fits."""
    kept = len(text)
    while cells(text[:kept]) > room:
        kept -= 1
    if kept == len(text) or text[kept] == " ":
        return text[:kept]
    return text[:kept].rpartition(" ")[0] or text[: max(kept, 1)]


def at_words(line: str) -> list[str]:
    """A line of a message, continued below where it is wider than the terminal; nothing of it is left out."""
    if cells(line) <= width():
        return [line]
    from textwrap import TextWrapper  # noqa: PLC0415 - seldom needed by the quick commands

    wrapper = TextWrapper(width(), break_long_words=False, break_on_hyphens=False, replace_whitespace=False)
    wrapper.subsequent_indent = " " * (len(line) - len(line.lstrip()) + 2)
    return wrapper.wrap(line)


def gist(text: str, room: int) -> list[str]:
    """Of a gate's failure what failed, its first error, and the path of the whole log. Of any other text, and where the
    error names no file, the first line and, from a longer output, the lines that name the cause, and the end; a mark
    replaces lines that are left out.
    """
    parts = failure_parts(plain(text))
    if _PLACED.search(parts.error):
        return [*_heads(parts.head, room), *wrapped(parts.error, room, most=_ERROR_LINES), *log_lines(parts.log)]
    head, *rest = [line.strip() for line in (*parts.head.split("\n"), *parts.output.split("\n")) if line.strip()] or [
        ""
    ]
    lines = [line for line in rest if not is_noise(line)] or rest
    shown = (one_line(line, max(room, 1)) for line in _marked(lines, _informative(lines)))
    return [*wrapped(head, room, most=_GIST_HEAD), *shown, *log_lines(parts.log)]


def _heads(head: str, room: int) -> Iterator[str]:
    for line in head.split("\n"):
        yield from wrapped(line, room, most=_GIST_HEAD)


def log_lines(log: str) -> list[str]:
    """Where the whole log is, as one types the path here; nothing where it is gone. Never cut: it is to be copied."""
    path = Path(log)
    if not log or not path.is_file():
        return []
    here = Path.cwd()
    return [f"{WHOLE_LOG}{path.relative_to(here) if path.is_relative_to(here) else path}"]


def _informative(lines: Sequence[str]) -> Sequence[int]:
    """Which lines to show: all, or the first that name the cause and the last."""
    places = range(len(lines))
    if len(lines) <= _GIST_LINES:
        return places
    ends = places[-_GIST_TAIL:]
    wrong = [place for place in places if place not in ends and _CAUSE.search(lines[place])]
    return [*wrong[: _GIST_LINES - _GIST_TAIL], *ends]


def _marked(lines: Sequence[str], chosen: Sequence[int]) -> Iterator[str]:
    before = -1
    for place in chosen:
        if place > before + 1:
            yield "…"
        yield lines[place]
        before = place


def labelled(label: str, lines: Sequence[str]) -> Iterator[str]:
    """The lines after their label, with further lines aligned below the first."""
    for number, line in enumerate(lines):
        yield f"{' ' * len(label) if number else label}{line}"


def filled(text: str, margin: int) -> str:
    """The text on one line that leaves `margin` columns of the layout free; without a terminal nothing is cut."""
    line = one_line(text, width() - margin)
    return line + " " * (layout() - margin - cells(line))


def padded(text: str, room: int) -> str:
    """The text on one line, shortened or padded to exactly `room` columns."""
    line = shortened(text, room)
    return line + " " * (room - cells(line))


def shortened(text: str, room: int) -> str:
    """The text on one line; if it is too long, an ellipsis follows its last whole word that leaves enough of it."""
    line = one_line(text, room)
    if line == one_line(text, 2 * room + 2):
        return line
    head = line.rpartition(" ")[0]
    return f"{head}…" if head and cells(head) >= _KEPT * room else line


def _wrapped(value: str, room: int) -> list[str]:
    if len(value) <= room and value.isprintable():
        return [value]
    from textwrap import wrap  # noqa: PLC0415 - seldom needed by the quick commands

    return wrap(value, room, break_long_words=False, break_on_hyphens=False)


def facts(pairs: list[tuple[str, str]]) -> str:
    """Names and values in two columns; empty values are left out, and long values wrap between words."""
    kept = [(name, value) for name, value in pairs if value]
    names = max((len(name) for name, _ in kept), default=0)
    room = max(layout() - names - 4, 1)
    rows = ((name, _wrapped(value, room)) for name, value in kept)
    return "\n".join(line for name, lines in rows for line in labelled(f"  {name:<{names}}  ", lines))
