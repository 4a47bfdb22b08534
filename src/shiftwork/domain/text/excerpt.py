"""What matters of a long output: its beginning, its end, and what stands around the lines that tell of an error."""

import hashlib
import re
from typing import Final

OPENING: Final = 5
CLOSING: Final = 30
BEFORE: Final = 3
AFTER: Final = 12
LINE_LIMIT: Final = 400

_ERROR: Final = re.compile(
    r"\berror\b|\bfail(ed|ure|ures|ing)?\b|\bexception\b|\btraceback\b|\bpanic(ked)?\b|\bassert\w*|\bexpected\b"
    r"|\bfatal\b|\bundefined\b|\bnot found\b|\btimed out\b|\bcannot\b|^E\s|✗|✕",
    re.IGNORECASE,
)


def trimmed(output: str, limit: int) -> str:
    """At most `limit` characters of it, whole lines where that can be, with a remark wherever lines are left out.

    Where even what matters is too long, the end of it is kept: there most tools say what it comes to.
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
    """Of an endless line the two ends."""
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
_UNREADABLE: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def with_last_words(error: str, said: str) -> str:
    """Why an attempt failed, with the end of what its agent said last, unless the error has that already."""
    words = " ".join(_UNREADABLE.sub("", said[-8 * WORDS_LIMIT :]).split())
    if not words or words in " ".join(_UNREADABLE.sub("", error).split()):
        return error
    return f"{error}\nits last words: {words if len(words) <= WORDS_LIMIT else f'…{words[-WORDS_LIMIT:]}'}"


_NOISE: Final = (
    (re.compile(r"\x1b\[[0-9;?]*[A-Za-z]"), ""),
    (re.compile(r"\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]{7,64}\b", re.IGNORECASE), "#"),
    (re.compile(r"\d{1,4}[-:]\d\d[-:]\d\d(?:[.,]\d+)?"), "#"),
    (re.compile(r"\b\d+(?:\.\d+)?\s*(?:ms|s|secs?|seconds?|m|min|minutes?|µs|ns)\b"), "#"),
    (re.compile(r"(?:/[\w.+@-]+){2,}/"), "/"),
    (re.compile(r"(?<=:)\d+\b|(?<=line )\d+\b|\b\d{5,}\b"), "#"),
    (re.compile(r"\s+"), " "),
)


def normalised(output: str) -> str:
    """The output without what differs from one run to the next: times, hashes, folders, places in files, process
    numbers, colours and white space. How many tests failed stays: fewer is not the same.
    """
    for pattern, instead in _NOISE:
        output = pattern.sub(instead, output)
    return output.strip()


def fingerprint(output: str) -> str:
    """The same for two outputs that say the same, however long each took and wherever it ran."""
    return hashlib.sha256(normalised(output).encode(errors="replace")).hexdigest()[:16]
