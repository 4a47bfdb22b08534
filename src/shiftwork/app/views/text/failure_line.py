"""Why something failed, in a line: of a gate's output the last assertion or error, no separator and no summary; of an
agent's, its last line after the cause.
"""

import itertools
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from shiftwork.domain.text.excerpt import LAST_OUTPUT

# Patterns are compiled when first needed, and cached by `re`: most commands have no failure to show.
_CONTROLS: Final = r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f]"

_NAMED: Final = r"(?:FAILED|ERROR) (\S+::.+ - .+)"
"""Pytest's summary of a test: its name and its error on one line."""

_SEPARATOR: Final = r"[\W_]*|[=_⎯!*\#-]{3,}.*[=_⎯!*\#-]{3,}(?:\[[\d/]+\].*)?|\[…\ .*\ …\]"

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

_NOTHING: Final = "it printed nothing"


def failure_line(output: str) -> str:
    """Returns the line, with what continues it; never empty. Of tools that are not known, it is the last line that is
    no separator and no summary.
    """
    every = [" ".join(line.split()) for line in re.sub(_CONTROLS, "", output.replace("\r", "\n")).split("\n")]
    lines = [line for line in every if line]
    if named := next((found for line in reversed(lines) if (found := re.fullmatch(_NAMED, line))), None):
        return named[1]
    for pattern in (_ASSERTION, _ERROR):
        places = (place for place in reversed(range(len(lines))) if re.search(pattern, lines[place]))
        if (last := next((place for place in places if not is_noise(lines[place])), None)) is not None:
            return _continued(lines, last)
    return next((line for line in reversed(lines) if not is_noise(line)), lines[-1] if lines else _NOTHING)


@lru_cache(maxsize=256)
def reason_of(failure: str) -> str:
    """Returns the line below the first one of a failure that says why; empty if the first says it all. Kept, because
    the document of a run is made with every change.
    """
    return cause_and_reason(failure)[1]


def cause_and_reason(failure: str) -> tuple[str, str]:
    """Returns the first line of a failure, and the line below it that says why: of a gate's output, or the last line of
    an agent's. The second is empty if the first says it all.
    """
    error, _, words = failure.strip().partition(f"\n{LAST_OUTPUT}")
    head, _, rest = error.partition("\n")
    if rest.strip():
        return head, failure_line(rest)
    return head, f"{LAST_OUTPUT}{words.split('\n')[-1]}" if words else ""


def is_last_output(reason: str) -> bool:
    """Whether the reason is what an agent said at last: it need not be why it failed."""
    return reason.startswith(LAST_OUTPUT)


def on_one_line(failure: str) -> str:
    """Returns the cause and, after it, the line that says why."""
    cause, reason = cause_and_reason(failure)
    if not reason:
        return cause
    return f"{cause.rstrip().removesuffix(':')}{'; ' if is_last_output(reason) else ': '}{reason}"


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
