"""Reads the list that an agent wrote below a key: one item per line, with or without a bullet."""

from typing import Final

from shiftwork.regexes import regex

_SIGN: Final = regex(r"(?:[-*•]|\d{1,3}[.)])[ \t]+")
_NOTHING: Final = frozenset({"", "-", "none", "n/a", "nothing", "no", "null"})


def items(value: str) -> tuple[str, ...]:
    """The items, each on one line; an indented line without a bullet continues the item before it."""
    found: list[str] = []
    for line in value.splitlines():
        text = line.strip()
        bare = _SIGN.sub("", text, count=1) if _SIGN.match(text) else text
        if found and bare == text and line[:1].isspace():
            found[-1] = f"{found[-1]} {text}".strip()
        else:
            found.append(bare)
    return tuple(item for item in found if not _says_nothing(item))


def _says_nothing(item: str) -> bool:
    """Whether the item only says "none" or the like, because some agents fill in every key."""
    return item.casefold().rstrip(".") in _NOTHING
