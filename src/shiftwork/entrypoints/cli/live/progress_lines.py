"""Shows a run when the output is no terminal: a line for each change, for people or programs."""

import time
from typing import Final, Protocol

import click

from shiftwork.app.runtime import state_labels
from shiftwork.app.runtime.context import Sighting
from shiftwork.app.views.documents.event_documents import seen
from shiftwork.app.views.live.board import Board, Change
from shiftwork.app.views.live.change_words import brief, worded
from shiftwork.bootstrap.state.read_only import now
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import one_line, plain


class View(Protocol):
    """Displays a run. All methods are called on the event loop's thread."""

    @property
    def board(self) -> Board: ...

    def see(self, sighting: Sighting) -> None: ...

    def update(self, now: float) -> None:
        """Called a few times a second, with the time of the run's clock."""
        ...

    def say(self, text: str) -> None:
        """Prints a message of the command itself, between changes."""
        ...

    def close(self) -> None: ...


_LEAST: Final = 20
_FAILURE_LINES: Final = 3
_SUBJECT: Final = 26
"""Room for a story's id and the longest step name of the catalogue."""


def line(change: Change, room: int) -> str:
    """One line of at most `room` columns: when, which story, which step, what."""
    head, text = _parts(change)
    return head + one_line(text, max(room - len(head), _LEAST))


def lines(change: Change, room: int, *, most: int) -> list[str]:
    """The same on at most so many lines."""
    head, text = _parts(change)
    return list(phrases.labelled(head, phrases.wrapped(text, max(room - len(head), _LEAST), most=most)))


def _parts(change: Change) -> tuple[str, str]:
    subject = f"{change.story} {change.name}".strip() or "run"
    attempt = f" (attempt {change.attempt})" if change.event == "step_started" and change.attempt > 1 else ""
    said = (
        state_labels.ending_of_run(change.text)
        if change.event == "run_ended"
        else brief(plain(change.text), change.event)
    )
    until = "" if change.until is None else f" until {phrases.o_clock(change.until)}"
    text = worded(change.event, said, f"{attempt}{until}", word=change.word)
    who = phrases.padded(one_line(subject, _SUBJECT), _SUBJECT)
    head = f"{time.strftime('%H:%M:%S', time.localtime(change.at))}  {who}  "
    return head, f"{text}{change.proof}"


class LineView:
    """One line for each change of state; a failure may take more, so that its first error is readable."""

    def __init__(self) -> None:
        self.board = Board()

    def see(self, sighting: Sighting) -> None:
        if change := self.board.see(sighting):
            is_failure = change.event.endswith(("failed", "refused"))
            click.echo("\n".join(lines(change, phrases.width(), most=_FAILURE_LINES if is_failure else 1)))

    def update(self, now: float) -> None:
        """Nothing moves between changes."""

    def say(self, text: str) -> None:
        click.echo(text)

    def close(self) -> None:
        """Nothing is held."""


class QuietView(LineView):
    """Prints nothing, and knows where the run stands."""

    def see(self, sighting: Sighting) -> None:
        self.board.see(sighting)

    def say(self, text: str) -> None:
        """What happens is no result."""


class JsonView:
    """One event a line: every change, and everything that an agent reports."""

    def __init__(self) -> None:
        self.board = Board()

    def see(self, sighting: Sighting) -> None:
        if event := seen(self.board, sighting, now()):
            say(event)

    def update(self, now: float) -> None:
        """Nothing moves between changes."""

    def say(self, text: str) -> None:
        """Programs read the changes, not messages."""

    def close(self) -> None:
        """Nothing is held."""
