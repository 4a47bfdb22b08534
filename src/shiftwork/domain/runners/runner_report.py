"""What Shiftwork knows about every test runner, linter and compiler, in the same way."""

import re
from collections.abc import Callable

from shiftwork.domain.core.first_error import FirstError
from shiftwork.records import dataclass

type Located = tuple[int, FirstError]
"""An error, and where in the output it is reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerReport:
    """What a runner's output says, as far as Shiftwork uses it. Code that a gate runs can print the same. `is_short`:
    too little of the code was covered. `place` is where the output reports its first `error`.
    """

    is_short: bool = False
    error: FirstError | None = None
    place: int = 0
    failed_tests: tuple[str, ...] = ()


def keep_command(command: str) -> str:
    """Of a runner without a threshold."""
    return command


def find_nothing(_text: str) -> Located | None:
    """Of a runner whose errors are not read."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRunner:
    """`short_form` is the line by which it says that too little is covered; None if that is not read. `drop_threshold`
    takes a command, and returns it with the runner's threshold for coverage turned off; it leaves other commands as
    they are.

    `find_error` takes an output as `readable_lines` returns it, and finds the runner's own first error. `failed_form`
    matches a line that names a failed test, in its groups; None if these are not read.

    In its `settings`, which are globs, the values of `keys` and of `options` name code that the runner loads, by path
    or as a module; so do the `options` of a command. A runner with settings has keys. In `package.json` only the
    `section` is the runner's.
    """

    name: str
    short_form: re.Pattern[str] | None = None
    drop_threshold: Callable[[str], str] = keep_command
    find_error: Callable[[str], Located | None] = find_nothing
    failed_form: re.Pattern[str] | None = None
    settings: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    section: str = ""

    def is_short(self, output: str) -> bool:
        """From output without colours and without blanks at the ends of lines."""
        return self.short_form is not None and self.short_form.search(output) is not None

    def read_report(self, output: str) -> RunnerReport:
        """From output as `readable_lines` returns it."""
        place, error = self.find_error(output) or (0, None)
        named = self.failed_form.finditer(output) if self.failed_form else ()
        failed = dict.fromkeys(" ".join(next(filter(None, found.groups())).split()) for found in named)
        return RunnerReport(is_short=self.is_short(output), error=error, place=place, failed_tests=tuple(failed))
