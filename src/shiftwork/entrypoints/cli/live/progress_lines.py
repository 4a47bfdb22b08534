"""Shows a run when the output is no terminal: a line for each change, for people or programs."""

import time
from dataclasses import asdict
from typing import Final, Protocol

import click

from shiftwork.app.runtime.context import GateBegun, Sighting
from shiftwork.app.views.live.board import Board, Change
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import one_line, plain
from shiftwork.ports.agent import AgentEvent


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


REPORTED: Final = {
    "run_started": "the run begins",
    "story_adopted": "has landed before",
    "spec_updated": "marked as done in the spec",
    "spec_cleared": "no longer marked as done in the spec",
    "spec_update_failed": "could not be marked as done in the spec",
    "run_paused": "paused: nothing new starts until shiftwork resume",
    "run_unpaused": "continues",
    "story_cancelled": "cancelling",
    "story_retried": "retrying",
    "story_added": "added",
    "story_edited": "changed",
    "stories_reordered": "starting first",
    "undo_requested": "undoing",
    "story_undone": "undone",
    "undo_refused": "cannot be undone",
    "story_reopened": "starts again",
    "story_paused": "paused",
    "story_unpaused": "continues",
    "workspace_prepared": "workspace ready",
    "step_started": "begins",
    "step_completed": "done",
    "step_failed": "failed",
    "step_cancelled": "cancelled",
    "step_interrupted": "was interrupted; it will run again",
    "step_restarted": "is restarted by a person",
    "step_yielded": "returned itself to the queue",
    "step_deferred": "the agent has reached a limit",
    "step_cut_short": "has used its budget",
    "summary_missed": "gave no summary; it will be asked for it",
    "limits_raised": "limits changed",
    "options_changed": "options changed",
    "wait_ended": "the wait is over",
    "steps_edited": "steps changed",
    "edit_rejected": "a change of steps was rejected",
    "step_routed": "decided",
    "rounds_ended": "the rounds ended",
    "question_asked": "question for you",
    "story_held": "needs you",
    "story_answered": "answered",
    "landing_requested": "ready to merge",
    "gates_passed": "gates",
    "gates_failed": "gates",
    "landing_refused": "landing refused",
    "approval_due": "gates passed",
    "landing_withdrawn": "left the landing queue",
    "work_refused": "cannot land",
    "repair_planned": "sent back",
    "landed": "landed",
    "story_failed": "failed",
    "run_ended": "the run has ended",
}

_JOINED: Final = {
    "landing_requested": " ({})",
    "landing_refused": ", {}",
    "repair_planned": " to {}",
    "landed": " on {}",
}
"""How the text of a change follows its name, where a colon would be the second one or would part a sentence."""

_SUBJECT: Final = 26
"""Room for a story's id and the longest step name of the catalogue."""


def line(change: Change, room: int) -> str:
    """One line of at most `room` columns: when, which story, which step, what."""
    subject = f"{change.story} {change.name}".strip() or "run"
    attempt = f" (attempt {change.attempt})" if change.event == "step_started" and change.attempt > 1 else ""
    said = phrases.state(change.text) if change.event == "run_ended" else brief(change.text)
    until = "" if change.until is None else f" until {phrases.o_clock(change.until)}"
    if change.event == "repair_planned":
        said = said[:1].lower() + said[1:]
    joined = _JOINED.get(change.event, ": {}").format(said)
    text = f"{until}{joined}" if said and said != REPORTED[change.event] else until
    who = phrases.padded(one_line(subject, _SUBJECT), _SUBJECT)
    head = f"{time.strftime('%H:%M:%S', time.localtime(change.at))}  {who}  "
    return head + one_line(f"{REPORTED[change.event]}{attempt}{text}{change.proof}", max(room - len(head), 20))


def brief(text: str) -> str:
    """The first and the last of many lines: a gate's output begins with what failed, and ends with how."""
    lines = [part for part in plain(text).split("\n") if part.strip()]
    return f"{lines[0]} … {lines[-1]}" if len(lines) > 1 else text


class LineView:
    """One line for each change of state."""

    def __init__(self) -> None:
        self.board = Board()

    def see(self, sighting: Sighting) -> None:
        if change := self.board.see(sighting):
            click.echo(line(change, phrases.width()))

    def update(self, now: float) -> None:
        """Nothing moves between changes."""

    def say(self, text: str) -> None:
        click.echo(text)

    def close(self) -> None:
        """Nothing is held."""


class JsonView:
    """One JSON object a line: every change, and every event of an agent."""

    def __init__(self) -> None:
        self.board = Board()

    def see(self, sighting: Sighting) -> None:
        change = self.board.see(sighting)
        if change:
            say(asdict(change))
            return
        story = sighting.stream.rpartition("/")[2]
        if isinstance(event := sighting.what, GateBegun):
            say({"event": "gate", "story": story, **asdict(event)})
        elif isinstance(event, AgentEvent):
            say({"event": "agent", "story": story, "kind": event.kind.value, "tool": event.tool, "text": event.text})

    def update(self, now: float) -> None:
        """Nothing moves between changes."""

    def say(self, text: str) -> None:
        """Programs read the changes, not messages."""

    def close(self) -> None:
        """Nothing is held."""
