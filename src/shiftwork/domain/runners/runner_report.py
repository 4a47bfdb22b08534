"""What Shiftwork knows about every test runner, and every linter, in the same way."""

import re
from collections.abc import Callable

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerReport:
    """What a runner's output says, as far as Shiftwork uses it. Code that a gate runs can print the same. `is_short`:
    too little of the code was covered.
    """

    is_short: bool = False


def keep_command(command: str) -> str:
    """Of a runner without a threshold."""
    return command


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRunner:
    """`short_form` is the line by which it says that too little is covered; None if its output is not read.
    `drop_threshold` takes a command, and returns it with the runner's threshold for coverage turned off; it leaves
    other commands as they are.

    In its `settings`, which are globs, the values of `keys` and of `options` name code that the runner loads, by path
    or as a module; so do the `options` of a command. A runner with settings has keys. In `package.json` only the
    `section` is the runner's.
    """

    name: str
    short_form: re.Pattern[str] | None = None
    drop_threshold: Callable[[str], str] = keep_command
    settings: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    section: str = ""

    def read_report(self, output: str) -> RunnerReport:
        """From output without colours and without blanks at the ends of lines."""
        return RunnerReport(is_short=self.short_form is not None and self.short_form.search(output) is not None)
