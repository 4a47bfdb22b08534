"""Paths that patterns match."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final


def matches(patterns: Iterable[str], path: str) -> bool:
    """Whether one of the globs means the path or a folder above it; one without a slash is about names anywhere."""
    return _regex(tuple(patterns)).fullmatch(path) is not None


_NO_PATH: Final = r"(?!)"


_WILDCARDS: Final = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@cache
def _regex(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join((_NO_PATH, *map(_one, patterns))), re.DOTALL)


def _one(pattern: str) -> str:
    plain = pattern.removeprefix("./").strip("/")
    if plain in {"", "."}:
        return _NO_PATH
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", plain)
    body = "".join(_WILDCARDS.get(part, re.escape(part)) for part in parts)
    anywhere = "" if "/" in pattern.removeprefix("./").rstrip("/") else "(?:.*/)?"
    return f"{anywhere}{body}(?:/.*)?"
