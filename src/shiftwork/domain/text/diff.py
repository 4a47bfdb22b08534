"""Reads a diff as git writes it: which lines a change has taken from each file, and which it has put there."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

_HUNK: Final = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_ESCAPE: Final = re.compile(r"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The lines that a change has taken from a file and put into it."""

    path: str
    gone: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def by_path(patch: str) -> Mapping[str, Text]:
    """Names that cannot be read may look the same: then they are taken for one."""
    found: dict[str, Text] = {}
    for one in list(_files(patch)):  # each is whole when the next one begins
        known = found.setdefault(one.path, one)
        if known is not one:
            known.gone.extend(one.gone)
            known.new.extend(one.new)
    return found


def _files(patch: str) -> Iterator[Text]:
    """Each file of a patch; the lines of a hunk are counted, so that nothing in a file can pass for a heading."""
    text, names, left = Text(path=""), ("", ""), 0
    for line in patch.split("\n"):
        if left:
            # A line without a sign is the remark that a file does not end with one.
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
    """Without the letter in front; git ends a name that has a space in it with a tab, and quotes odd ones as C does."""
    name = names[0] if names[1] == "/dev/null" else names[1]
    if name.startswith('"'):
        return _ESCAPE.sub(_meant, name[1:-1])[2:]
    return name[2:].removesuffix("\t")


def _meant(escape: re.Match[str]) -> str:
    said = escape[1]
    return chr(int(said, 8)) if len(said) > 1 else _LETTERS.get(said, said)
