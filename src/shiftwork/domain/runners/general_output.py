"""The last resort, for any tool: a line that names a file, a line and an error; else the last assertion or error, which
is no separator, no summary and no remark of a task runner.
"""

import itertools
import re
from collections.abc import Sequence
from typing import Final

from shiftwork.domain.core.first_error import FirstError
from shiftwork.domain.runners.error_places import find_by_form, make_error
from shiftwork.domain.runners.runner_report import Located
from shiftwork.domain.text.file_types import is_source
from shiftwork.regexes import regex

_PLACED: Final = (
    regex(
        r"^(?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)?:? *(?:fatal |syntax )?[Ee](?:rror|RROR)\b:? *(?P<message>\S.*)$",
        re.MULTILINE,
    ),
    regex(r"^(?P<file>[^\s:]+\.\w+): (?:line )?(?P<line>\d+): (?P<message>\S.*)$", re.MULTILINE),
)
_ANY_PLACE: Final = regex(
    r"^(?P<file>[^\s:]+\.\w+):(?P<line>\d+)(?::\d+)?:? (?P<message>(?!(?i:warning|note|info|hint|debug)\b)\S.*)$",
    re.MULTILINE,
)
_COUNTED: Final = r"(?i)[1-9]\d* \w*(?:fail|error)|fail\w* [1-9]"
_NOTHING: Final = "it printed nothing"

# Patterns are compiled when first needed, and cached by `re`: most commands have no failure to show.
_SEPARATOR: Final = r"[\W_]*|[.FEsxX]+(?:\ +\[\ *\d+%\])?|[=_⎯!*\#-]{3,}.*[=_⎯!*\#-]{3,}(?:\[[\d/]+\].*)?|\[…\ .*\ …\]"

_SUMMARY: Final = r"""
      (?:\d+\ \w+,\ )*\d+\ (?:failed|errors?|passed|passing|failing|fixable|tests?|examples?|runs|problems?)\b.*
    | \[\*\]\ \d+\ fixable.* | no\ tests\ ran.* | FAILED\ \(.+\) | Ran\ (?:\d+\ tests?|all\ test\ suites)\b.*
    | FAILURES!|ERRORS!|failures:|Failures:|errors:|There\ (?:was|were)\ \d+\ (?:failure|error)s?:
    | Failed\ examples:|rspec\ \S+:\d+\ .*
    | test\ result:.* | (?:Test\ Suites|Test\ Files|Tests|Snapshots|Time|Start\ at|Duration):?\s.*
    | (?:\#|\u2139)\ (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms)\b.* | (?:\[ERROR\]\ )?Tests\ run:.*
    | Found\ \d+\ errors?\b.* | ✖\ \d+\ problems?\b.* | FAIL(?:\s+\S+\s+[\d.]+s)? | Finished\ .*
    | gate\ .+\ failed.*: | \(original\ versions:.* | exit\ status\ \d+ | (?:FAIL|FAILED|ERROR)\ \S+
    """

_RUNNER: Final = r"""
      npm\ (?:warn|notice)\b.*
    | npm\ (?:error|ERR!)(?:\ (?:Lifecycle|command|path|code|errno|workspace|location|A\ complete\ log)\b.*)?
    | npm\ (?:error|ERR!)\ (?:Test\ failed|To\ see\ a\ list|npm\ run)\b.*
    | make(?:\[\d+\])?:\ (?:\*\*\*\ \[|Entering|Leaving).* | error:\ Recipe\ .*
    | error:\ (?:test\ failed,|could\ not\ compile|aborting\ due|\d+\ targets?\ failed).*
    | For\ more\ information\ .* | Some\ errors\ have\ detailed\ .* | (?:note|help|hint|Hint|warning):.*
    | (?:error\ )?Command\ failed\ with\ exit\ code.* | ELIFECYCLE\b.* | Error:\ Process\ completed\ .*
    | \(compared\ using\ .*
    """

_FRAME: Final = r"""
      at\ .+ | File\ ".+ | Traceback\ .* | [>|\u276f]\s.* | \d+\s*\|.* | -->\ .* | \#\ \./.* | (?:\d+:\ )\S+::.*
    | \S+:\d+(?::\d+)?:?(?:\ (?:in\ .+|\w*(?:Error|Exception|Failed)))?
    | (?:code|name|operator|stack|location|failureType|type):\ .*
    """

_ASSERTION: Final = (
    r"AssertionError|AssertionFailedError|ExpectationFailed|Failed asserting|assertion .*failed|panicked at"
    r"|^(?:E )?assert |^[Ee]xpected: |^\w+_test\.go:\d+: |^error: (?:\|-$|')"
)
_ERROR: Final = (
    r"\b[A-Z]\w*(?:Error|Exception)\b|\b(?:error|Error|ERROR|fatal)\b|[Nn]o such file|not found|No rule to make target"
    r"|No module named|[Mm]issing script|[Tt]imed out|[Cc]annot |[Pp]ermission denied|expected .+, got "
    r"|^[A-Z]{1,4}\d{3,4} |:\d+:\d+: "
)
_VALUES: Final = r"(?:Received|got|actual|left|right|Expected|expected): "
"""Values on lines of their own, after the line that says that they differ."""


def find_placed(text: str) -> Located | None:
    """The first line that names a source file, a line and what is wrong there."""
    found = [located for form in _PLACED if (located := find_by_form(form, text))]
    if found:
        return min(found, key=lambda located: located[0])
    places = (
        match for match in _ANY_PLACE.finditer(text) if is_source(match["file"]) and not is_noise(match[0].strip())
    )
    first = next(places, None)
    return (first.start(), make_error(first["message"], (first["file"], int(first["line"])))) if first else None


def find_unplaced(text: str) -> FirstError:
    """The line that says most, with what continues it: the last assertion, else the last error, else the last line that
    is no noise.
    """
    lines = [line for line in (" ".join(line.split()) for line in text.split("\n")) if line]
    for pattern in (_ASSERTION, _ERROR):
        places = (place for place in reversed(range(len(lines))) if re.search(pattern, lines[place]))
        if (last := next((place for place in places if not is_noise(lines[place])), None)) is not None:
            return make_error(_continued(lines, last))
    said = (line for line in reversed(lines) if not is_noise(line))
    counted = (line for line in lines if re.search(_COUNTED, line))
    return make_error(next(itertools.chain(said, counted, reversed(lines)), _NOTHING))


def is_noise(line: str) -> bool:
    """Whether the line is a separator, a summary, a place in the code, or a task runner's own remark."""
    return any(re.fullmatch(pattern, line, re.VERBOSE) for pattern in (_SEPARATOR, _SUMMARY, _RUNNER, _FRAME))


def _continued(lines: Sequence[str], place: int) -> str:
    """A line that ends with a colon continues in the next, and values that differ follow."""
    line, rest = lines[place].removeprefix("E "), list(lines[place + 1 :])
    if rest and re.search(r"panicked at .*:$|^error: \|-$", line):
        line = rest.pop(0)
    if rest and line.endswith(":"):
        line = f"{line} {rest.pop(0)}"
    values = itertools.takewhile(lambda value: re.match(_VALUES, value), rest)
    return re.sub(r"^error: '(.*)'$", r"\1", ", ".join((line, *values)))
