"""Matches paths against glob patterns.

A repository has 100,000 paths and a list has 100 patterns, so what a folder says of all paths below it is kept: most
paths are decided by one lookup and two short expressions.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Final


def matches(patterns: Iterable[str], path: str) -> bool:
    """Whether any glob matches the path or a folder above it; a glob without a slash matches names in any folder."""
    return _matcher(tuple(patterns))(path)


_NO_PATH: Final = r"(?!)"
_WILDCARDS: Final = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_KEPT_FOLDERS: Final = 20_000


@cache
def _matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    names, folder_names, paths = set[str](), set[str](), set[str]()
    for pattern in patterns:
        plain = pattern.removeprefix("./").strip("/")
        if "/" not in pattern.removeprefix("./").rstrip("/") and "**" not in plain:
            names.add(plain)
        elif plain.startswith("**/") and plain.endswith("/**") and _is_name(plain[3:-3]):
            folder_names.add(plain[3:-3])
        else:
            paths.add(plain if "/" in pattern.removeprefix("./").rstrip("/") else f"**/{plain}")
    name, folder_name, whole = _any_of(names), _any_of(names | folder_names), _any_of(paths)

    @lru_cache(maxsize=_KEPT_FOLDERS)
    def is_below(folder: str) -> bool:
        above, _, last = folder.rpartition("/")
        return bool(folder) and (bool(folder_name(last) or whole(folder)) or is_below(above))

    def is_matched(path: str) -> bool:
        folder, _, last = path.rpartition("/")
        return bool(name(last) or whole(path)) or is_below(folder)

    return is_matched


def _is_name(text: str) -> bool:
    return bool(text) and "/" not in text and "**" not in text


def _any_of(globs: Iterable[str]) -> Callable[[str], re.Match[str] | None]:
    return re.compile("|".join((_NO_PATH, *map(_expression, sorted(globs)))), re.DOTALL).fullmatch


def _expression(glob: str) -> str:
    if glob in {"", "."}:
        return _NO_PATH
    return "".join(_WILDCARDS.get(part, re.escape(part)) for part in re.split(r"(\*\*/|\*\*|\*|\?)", glob))
