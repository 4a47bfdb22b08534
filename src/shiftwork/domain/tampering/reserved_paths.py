"""Which paths no work may change: those of git and of the harness itself, in any spelling that a file system accepts.

Git refuses most of these when it adds a file. A tree can be created without adding files, so the commit to be landed is
checked again.
"""

import re
from typing import Final

from shiftwork.regexes import regex

_NAMES: Final = frozenset({".git", ".shiftwork"})

_SHORT: Final = regex(r"(?:git|gi[0-9a-f]{4}|shiftw|sh[0-9a-f]{4})~[0-9]+")
"""Their short names on Windows, where names have eight letters."""

_IGNORED: Final = regex("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters that macOS ignores in a name."""


def is_reserved(path: str) -> bool:
    """Whether a part of the path is a git directory or a state folder; trailing characters that Windows ignores do not
    matter.
    """
    return any(map(_is_reserved, re.split(r"[/\\]", path)))


def _is_reserved(name: str) -> bool:
    plain = _IGNORED.sub("", name).partition(":")[0].rstrip(". ").casefold()
    return plain in _NAMES or _SHORT.fullmatch(plain) is not None
