"""Where a red gate's output says what is wrong: its first error, and how texts of failures carry it."""

from typing import Final

from shiftwork.records import dataclass

FIRST_ERROR: Final = "first error: "
WHOLE_LOG: Final = "whole log: "
_EARLY_LINES: Final = 4
"""The lines of a failure above what the gate printed: the gate may print the same words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstError:
    """The first error that an output reports. The file is empty, and the line is 0, where the output names none."""

    message: str
    file: str = ""
    line: int = 0

    @property
    def sentence(self) -> str:
        """On one line, in the form that editors and terminals make a link."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.message}" if place else self.message


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureText:
    """A text of a failure in parts: its head, the sentence of its first error, the path of the whole log, and what was
    printed. Texts of earlier releases have neither error nor log.
    """

    head: str
    error: str = ""
    log: str = ""
    output: str = ""


def failure_text(head: str, error: FirstError | None, log: str, output: str) -> str:
    """The text of a failure, which `split_failure` takes apart again."""
    cause = [f"{FIRST_ERROR}{error.sentence}"] if error else []
    return "\n".join((head, *cause, *([f"{WHOLE_LOG}{log}"] if log else []), output))


def split_failure(failure: str) -> FailureText:
    """The parts of a failure; of several gates, those of the first."""
    lines = failure.strip("\n").split("\n")
    error, log, place = "", "", 0
    for number, line in enumerate(lines[: _EARLY_LINES + 1]):
        if not error and not log and line.startswith(FIRST_ERROR):
            error, place = line.removeprefix(FIRST_ERROR), number
        elif not log and line.startswith(WHOLE_LOG) and place in {0, number - 1}:
            log, place = line.removeprefix(WHOLE_LOG), number
    if not place:
        return FailureText(head=lines[0], output="\n".join(lines[1:]))
    start = place - bool(error and log)
    return FailureText(head="\n".join(lines[:start]), error=error, log=log, output="\n".join(lines[place + 1 :]))


def without_logs(failure: str) -> str:
    """The text for those who cannot open a log: agents in a sandbox, readers of a report on another machine."""
    return "\n".join(line for line in failure.split("\n") if not line.startswith(WHOLE_LOG))
