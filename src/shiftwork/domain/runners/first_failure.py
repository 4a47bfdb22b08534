"""Reads the output of a red gate, whatever it has started: the first error, and the names of failed tests."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from shiftwork.domain.core.first_error import FirstError
from shiftwork.domain.runners.error_places import readable_lines
from shiftwork.domain.runners.general_output import find_placed, find_unplaced
from shiftwork.domain.runners.known_runners import LANGUAGES, RUNNERS
from shiftwork.domain.runners.make_runner import MAKE
from shiftwork.domain.runners.runner_report import KnownRunner, RunnerReport
from shiftwork.records import dataclass

_MOST_TEXT: Final = 100_000
"""What is read of an output at each of its ends."""
_NAMES: Final = 20
_NAME: Final = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What a red gate's output says. Its error always has a message."""

    error: FirstError
    failed_tests: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        return self.error.sentence


def read_failure(output: str) -> Failure:
    """Runners and compilers say most, then errors of a language, then lines of an unknown tool that name a place."""
    text = readable_lines(_both_ends(output))
    if reports := list(_reports_with_error(RUNNERS, text)):
        names = (name[:_NAME] for report in reports for name in report.failed_tests)
        return Failure(error=_first_error(reports), failed_tests=tuple(dict.fromkeys(names))[:_NAMES])
    if reports := list(_reports_with_error(LANGUAGES, text)):
        return Failure(error=_first_error(reports))
    if placed := find_placed(text):
        return Failure(error=placed[1])
    return Failure(error=_with_recipe(find_unplaced(text), text))


def _both_ends(output: str) -> str:
    if len(output) <= 2 * _MOST_TEXT:
        return output
    return f"{output[:_MOST_TEXT]}\n{output[-_MOST_TEXT:]}"


def _reports_with_error(runners: Iterable[KnownRunner], text: str) -> Iterator[RunnerReport]:
    yield from (report for runner in runners if (report := runner.read_report(text)).error)


def _first_error(reports: Sequence[RunnerReport]) -> FirstError:
    """An error with a place, if there is one."""
    errors = sorted(((report.place, report.error) for report in reports if report.error), key=lambda found: found[0])
    return next((error for _, error in errors if error.file), errors[0][1])


def _with_recipe(error: FirstError, text: str) -> FirstError:
    """Where only make names a place, it is the line of the makefile that printed the error."""
    failed = MAKE.read_report(text).error
    if failed is None:
        return error
    said = failed.message if "***" in error.message else error.message
    return FirstError(message=said, file=failed.file, line=failed.line)
