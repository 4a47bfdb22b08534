"""pytest, with pytest-cov."""

import re
from typing import Final

from shiftwork.domain.runners.error_places import Place, find_by_form, first_own, make_error, take_block
from shiftwork.domain.runners.python_traceback import find_traceback
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.records import replace
from shiftwork.regexes import regex

_SHORT: Final = regex(
    r"^(?:FAIL Required test coverage of [\d.]+% not reached[^\n]*|ERROR: Coverage failure: total of [^\n]*)$",
    re.MULTILINE,
)
_THRESHOLD: Final = regex(r"(--cov-fail-under)[= ][\d.]+")
_OFF: Final = "--cov-fail-under=0"

_SECTION: Final = regex(r"^=+ (?:FAILURES|ERRORS) =+$", re.MULTILINE)
_NEXT_SECTION: Final = regex(r"^(?:=+ .+ =+|!+ .+ !+|-+ generated .+ -+)$", re.MULTILINE)
_HEADING: Final = regex(r"^_{3,} .+ _{3,}$", re.MULTILINE)
_FRAME: Final = regex(r"^(?:file )?([^\s:]+)(?::|, line )(\d+)(?::(?: in .+| \w+)?)?$")
_BRIEF: Final = regex(r"^(?P<file>[^\s:]+):(?P<line>\d+): (?P<message>.+)$", re.MULTILINE)
_RAISED: Final = regex(r"^E +(.*)$")
_FILE: Final = regex(r'^File "([^"\n]+)", line (\d+)')
_SUMMARY: Final = regex(r"^(?:FAILED|ERROR) ([^\s:]+)(?:::(\S.*?))? - (.+)$", re.MULTILINE)
_USAGE: Final = regex(
    r"^(?:ERROR: (?!\w+ \()|INTERNALERROR> (?=\S*(?:Error|Exception):))(?P<message>.+)$", re.MULTILINE
)
_NONE_RAN: Final = regex(r"^(?:=+ )?(?P<message>no tests ran) in [\d.]+s", re.MULTILINE)
_FAILED: Final = regex(r"^(?:FAILED|ERROR) ([^\s:]+::.+?)(?: - .*)?$", re.MULTILINE)


def _drop_threshold(command: str) -> str:
    """The variable overrules pytest's settings, and what is on the command line overrules the variable."""
    return f'export PYTEST_ADDOPTS="${{PYTEST_ADDOPTS:-}} {_OFF}"\n{_THRESHOLD.sub(_OFF, command)}'


def _find_error(text: str) -> Located | None:
    """Of the first failed test. Its place is the innermost one in the project's own code."""
    if (found := _SECTION.search(text)) is None:
        return _find_summary(text)
    section = take_block(text, found.end(), _NEXT_SECTION)
    heading = _HEADING.search(section)
    if heading is None:  # --tb=line
        return _with_assertion(find_by_form(_BRIEF, section), found.start()) or _find_summary(text)
    block = take_block(section, heading.end(), _HEADING)
    located = _read_block(block) or find_traceback(block)  # --tb=native
    return (found.start(), located[1]) if located else _find_summary(text)


def _read_block(block: str) -> Located | None:
    frames: list[Place] = []
    raised: list[str] = []
    for line in block.split("\n"):
        if said := _RAISED.match(line):
            raised.append(said[1].strip())
        elif frame := _FRAME.match(line):
            frames.append((frame[1], int(frame[2])))
    if not raised:
        return None
    if file := _FILE.match(raised[0]):  # of a syntax error; the message comes last
        return 0, make_error(raised[-1], (file[1], int(file[2])))
    return 0, make_error(_named_assertion(raised[0]), first_own(reversed(frames)))


def _find_summary(text: str) -> Located | None:
    """Where nothing else is printed: the list of failed tests, the threshold for coverage, a mistake in the command."""
    if found := _SUMMARY.search(text):
        said = _named_assertion(found[3])
        return found.start(), make_error(f"{found[2]}: {said}" if found[2] else said, (found[1], 0))
    if short := _SHORT.search(text):
        return short.start(), make_error(short[0])
    return find_by_form(_USAGE, text) or find_by_form(_NONE_RAN, text)


def _with_assertion(found: Located | None, place: int) -> Located | None:
    if found is None:
        return None
    return place, replace(found[1], message=_named_assertion(found[1].message))


def _named_assertion(message: str) -> str:
    """Pytest leaves out the name of the error where it shows the assertion."""
    return f"AssertionError: {message}" if message.startswith("assert ") else message


PYTEST: Final = KnownRunner(
    name="pytest",
    short_form=_SHORT,
    drop_threshold=_drop_threshold,
    find_error=_find_error,
    failed_form=_FAILED,
    settings=(
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "conftest.py",
    ),
    keys=("pytest_plugins",),
    options=("-p",),
)
