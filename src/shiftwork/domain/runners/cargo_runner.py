"""cargo: the errors of rustc and clippy, and the panics of tests."""

import re
from typing import Final

from shiftwork.domain.runners.error_places import find_by_form, make_error
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_COMPILED: Final = regex(r"^(?P<message>error(?:\[E\d+\])?: .+)\n +--> (?P<file>\S+?):(?P<line>\d+):\d+$", re.MULTILINE)
_PANIC: Final = regex(r"^thread '.*' (?:\(\d+\) )?panicked at (\S+?):(\d+):\d+:\n((?:.+\n)*.*)", re.MULTILINE)
_EARLIER: Final = regex(r"^thread '.*' panicked at '(?P<message>.*)', (?P<file>\S+?):(?P<line>\d+):\d+$", re.MULTILINE)
_FAILED: Final = regex(r"^test (\S+) \.\.\. FAILED$", re.MULTILINE)
_BEHIND: Final = ("stack backtrace:", "note: ")


def _find_error(text: str) -> Located | None:
    found = [find_by_form(_COMPILED, text), _find_panic(text), find_by_form(_EARLIER, text)]
    return min(filter(None, found), key=lambda located: located[0], default=None)


def _find_panic(text: str) -> Located | None:
    """The values of an assertion are on the lines below its message."""
    if (found := _PANIC.search(text)) is None:
        return None
    said: list[str] = []
    for line in found[3].split("\n"):
        if line.startswith(_BEHIND):
            break
        said.append(line.strip())
    return found.start(), make_error(", ".join(filter(None, said)) or "panicked", (found[1], int(found[2])))


CARGO: Final = KnownRunner(name="cargo", find_error=_find_error, failed_form=_FAILED)
