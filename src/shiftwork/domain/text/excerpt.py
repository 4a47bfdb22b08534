"""The important parts of a long output: its beginning, its end, and the lines around errors."""

import re
from typing import Final

from shiftwork.regexes import regex

OPENING: Final = 5
CLOSING: Final = 30
BEFORE: Final = 3
AFTER: Final = 12
LINE_LIMIT: Final = 400

_ERROR: Final = regex(
    r"\berror\b|\bfail(ed|ure|ures|ing)?\b|\bexception\b|\btraceback\b|\bpanic(ked)?\b|\bassert\w*|\bexpected\b"
    r"|\bfatal\b|\bundefined\b|\bnot found\b|\btimed out\b|\bcannot\b|^E\s|✗|✕",
    re.IGNORECASE,
)


def trimmed(output: str, limit: int) -> str:
    """At most `limit` characters of the output, in whole lines where possible, with a note wherever lines are left out.

    Where even the important parts are too long, their end is kept, because most tools print their summary there.
    """
    if len(output) <= limit:
        return output
    lines = [_cut(line) for line in output.split("\n")]
    text = "\n".join(_spread(lines, _wanted(lines)))
    if len(text) <= limit:
        return text
    mark = "[…]\n"
    return (mark + text[len(text) - limit + len(mark) :]) if limit > len(mark) else text[len(text) - limit :]


def _cut(line: str) -> str:
    """The two ends of an overlong line."""
    half = LINE_LIMIT // 2
    return line if len(line) <= LINE_LIMIT else f"{line[:half]}…{line[-half:]}"


def _wanted(lines: list[str]) -> set[int]:
    count = len(lines)
    wanted = {*range(min(OPENING, count)), *range(max(count - CLOSING, 0), count)}
    for place, line in enumerate(lines):
        if _ERROR.search(line):
            wanted.update(range(max(place - BEFORE, 0), min(place + AFTER + 1, count)))
    return wanted


def _spread(lines: list[str], wanted: set[int]) -> list[str]:
    shown: list[str] = []
    next_one = 0
    for place in sorted(wanted):
        if place > next_one:
            shown.append(f"[… {place - next_one} lines left out …]")
        shown.append(lines[place])
        next_one = place + 1
    return shown


WORDS_LIMIT: Final = 200
LAST_OUTPUT: Final = "last output: "
_UNREADABLE: Final = regex(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def with_last_words(error: str, said: str) -> str:
    """Why an attempt failed, and below it the end of the agent's last output, unless the error already contains it. The
    lines of the output stay apart, so that a view with room for one of them shows the last.
    """
    lines = [" ".join(line.split()) for line in _UNREADABLE.sub("", said[-8 * WORDS_LIMIT :]).split("\n")]
    words = "\n".join(filter(None, lines))
    if not words or " ".join(words.split()) in " ".join(_UNREADABLE.sub("", error).split()):
        return error
    return f"{error}\n{LAST_OUTPUT}{words if len(words) <= WORDS_LIMIT else f'…{words[-WORDS_LIMIT:].lstrip()}'}"


_NOISE: Final = (
    (regex(r"\x1b\[[0-9;?]*[A-Za-z]"), ""),
    (regex(r"\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]{7,64}\b", re.IGNORECASE), "#"),
    (regex(r"\d{1,4}[-:]\d\d[-:]\d\d(?:[.,]\d+)?"), "#"),
    (regex(r"\b\d+(?:\.\d+)?\s*(?:ms|s|secs?|seconds?|m|min|minutes?|µs|ns)\b"), "#"),
    (regex(r"(?:/[\w.+@-]+){2,}/"), "/"),
    (regex(r"(?<=:)\d+\b|(?<=line )\d+\b|\b\d{5,}\b"), "#"),
    (regex(r"\s+"), " "),
)


def normalised(output: str) -> str:
    """The output without what differs between runs: times, hashes, folders, positions in files, process ids, colours
    and white space. The number of failed tests stays, because fewer failures are a difference.
    """
    for pattern, instead in _NOISE:
        output = pattern.sub(instead, output)
    return output.strip()


def fingerprint(output: str) -> str:
    """Equal for two outputs with the same content, however long each run took and wherever it ran."""
    from hashlib import sha256  # noqa: PLC0415 - slow to import, and views only trim outputs

    return sha256(normalised(output).encode(errors="replace")).hexdigest()[:16]
