"""Reads a diff as git writes it: which lines a change removed from each file, and which it added."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from shiftwork.records import dataclass, field
from shiftwork.regexes import regex

_HUNK: Final = regex(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_ESCAPE: Final = regex(r"\\([0-7]{3}|.)", re.DOTALL)
_FOLDERS: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The lines that a change removed from a file and added to it."""

    path: str
    gone: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def by_path(patch: str) -> Mapping[str, Text]:
    """Unreadable names may look the same; their changes are then merged."""
    found: dict[str, Text] = {}
    for text in list(_files(patch)):  # a file is complete when the next starts
        known = found.setdefault(text.path, text)
        if known is not text:
            known.gone.extend(text.gone)
            known.new.extend(text.new)
    return found


def _files(patch: str) -> Iterator[Text]:
    """Each file of a patch. The lines of a hunk are counted, so that no line of a file can pass for a header."""
    text, names, left = Text(path=""), ("", ""), 0
    for line in patch.split("\n"):
        if left:
            # A line without a sign is the note that a file has no newline at its end.
            left -= line[:1] in {"+", "-"}
            if line[:1] in {"+", "-"}:
                (text.new if line[0] == "+" else text.gone).append(line[1:])
        elif line.startswith("--- "):
            names = (line[4:], "")
        elif line.startswith("+++ "):
            names = (names[0], line[4:])
            text = Text(path=_path(names))
            yield text
        elif hunk := _HUNK.match(line):
            left = sum(int(count) if count is not None else 1 for count in hunk.groups())


def _path(names: tuple[str, str]) -> str:
    """Without the `a/` or `b/` prefix. Git ends a name that contains a space with a tab, and quotes unusual names as C
    does.
    """
    name = names[0] if names[1] == "/dev/null" else names[1]
    if name.startswith('"'):
        return _ESCAPE.sub(_meant, name[1:-1])[2:]
    return name[2:].removesuffix("\t")


def _meant(escape: re.Match[str]) -> str:
    said = escape[1]
    return chr(int(said, 8)) if len(said) > 1 else _FOLDERS.get(said, said)
