"""Node.js: its own test runner, with both of its usual reporters, and a script that ends with an error."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from shiftwork.domain.runners.error_places import (
    Place,
    find_frames,
    find_script_message,
    first_own,
    make_error,
    take_block,
)
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_SPEC: Final = regex(r"^test at (\S+):(\d+):\d+\n\u2716 .+$", re.MULTILINE)
_SPEC_END: Final = regex(r"^test at ", re.MULTILINE)
_TAP: Final = regex(r"^( *)not ok \d+ - .+\n\1  ---\n", re.MULTILINE)
_TAP_END: Final = regex(r"^ +\.\.\.$", re.MULTILINE)
_MOST: Final = 100
_OF_CHILDREN: Final = "failureType: 'subtestsFailed'"
_LOCATION: Final = regex(r"^ *location: '(\S+):(\d+):\d+'$", re.MULTILINE)
_SAID: Final = regex(r"^( *)error: (?:\|-\n((?:\1  .*\n|\n)*)|['\"](.*)['\"]$)", re.MULTILINE)
_NAMED: Final = regex(r"^ *name: '(\w+)'$", re.MULTILINE)
_FAILED: Final = regex(
    r"^test at \S+\n\u2716 (.+?)(?: \([\d.]+ms\))?$"
    r"|^ *not ok \d+ - (.+)(?=\n *---\n(?:(?! *\.\.\.).*\n){0,30}? *failureType: '(?!subtestsFailed))",
    re.MULTILINE,
)
_THROWN: Final = regex(
    r"^(?:(?:file://)?(/\S+|\S+\.[cm]?[jt]s):(\d+)\n.*\n[ ^]*\n\n)?(?=\w*Error\b.*\n +at )", re.MULTILINE
)


def _find_in_tests(text: str) -> Located | None:
    if found := _SPEC.search(text):
        block = take_block(text, found.end(), _SPEC_END)
        place = first_own(find_frames(block))
        said = find_script_message(block.split("\n")) or found[0].partition("\n")[2]
        return found.start(), make_error(said, place if place[0] else (found[1], int(found[2])))
    return next(_find_in_protocol(text), None)


def _find_in_protocol(text: str) -> Iterator[Located]:
    """Tests that failed by themselves; a suite fails with its tests."""
    for found in islice(_TAP.finditer(text), _MOST):
        block = take_block(text, found.end() - 1, _TAP_END)
        said = _SAID.search(block)
        if _OF_CHILDREN not in block and said:
            message = said[2] or said[3]
            name = _NAMED.search(block)
            place = first_own(find_frames(block))
            yield (
                found.start(),
                make_error(f"{name[1]}: {message}" if name else message, place if place[0] else _located(block)),
            )


def _located(block: str) -> Place:
    return (found[1], int(found[2])) if (found := _LOCATION.search(block)) else ("", 0)


def _find_thrown(text: str) -> Located | None:
    """An error that nothing catches. Node shows its line above it, and its stack below."""
    if (found := _THROWN.search(text)) is None:
        return None
    lines = text[found.end() :].split("\n")
    place = first_own(find_frames("\n".join(lines[1:30])))
    shown = (found[1], int(found[2])) if found[1] else ("", 0)
    return found.start(), make_error(lines[0], place if place[0] else shown)


NODE_TEST: Final = KnownRunner(name="node --test", find_error=_find_in_tests, failed_form=_FAILED)
NODE: Final = KnownRunner(name="node", find_error=_find_thrown)
