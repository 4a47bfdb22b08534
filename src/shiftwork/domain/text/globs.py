"""Matches paths against glob patterns."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final


def matches(patterns: Iterable[str], path: str) -> bool:
    """Whether any glob matches the path or a folder above it; a glob without a slash matches names in any folder."""
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
