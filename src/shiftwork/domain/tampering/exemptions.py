"""Which tests and gate configuration a story may change because its spec says so: those that `touches` names, and never
all that a broad pattern happens to cover.

`touches` helps to order stories as well, so `src/**` is an everyday pattern. It must not let `src/conftest.py` change
unnoticed.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.commands import is_check_script, named
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.tampering.later_files import names_later
from shiftwork.domain.tampering.protected_paths import is_configuration, is_test

_WILDCARD: Final = re.compile(r"\*\*/|\*+|\?")
_SAMPLE: Final = "x"


def exempt(patterns: Iterable[str], paths: Sequence[str], protection: Protection) -> tuple[str, ...]:
    """The patterns that let a story change the checks that judge it: those that speak of checks, and those that are
    the very path of a file among `paths`, its changes.
    """
    return tuple(one for one in patterns if names_checks(one, protection) or _names_file(one, paths))


def opened(spec: Spec, protection: Protection) -> dict[StoryId, tuple[str, ...]]:
    """What of the checks, and of the files that run on the user's machine later, the spec lets each story change, as
    far as that can be known before it is done; stories that may change none are not there.
    """
    found = {
        story.id: tuple(one for one in story.allowed if names_checks(one, protection) or names_later(one))
        for story in spec.stories
    }
    return {story: patterns for story, patterns in found.items() if patterns}


def names_checks(pattern: str, protection: Protection) -> bool:
    """Whether the pattern says by its own letters that tests or gate configuration are meant: `tests/**` does,
    `**/*_test.go` does, and `**` or `src/**` does not, though it covers some.
    """
    plain = _plain(pattern)
    sample = _WILDCARD.sub(lambda found: "" if found.group() == "**/" else _SAMPLE, plain)
    if not _WILDCARD.sub("", plain).strip("/."):
        return False
    return _is_check(sample, protection) or _is_check(f"{sample}/{_SAMPLE}", protection)


def _is_check(path: str, protection: Protection) -> bool:
    script = path in named(protection.commands).run and is_check_script(path)
    return script or is_configuration(path) or is_test(path, protection)


def _names_file(pattern: str, paths: Sequence[str]) -> bool:
    plain = _plain(pattern)
    if not plain or _WILDCARD.search(plain):
        return False
    return any(path == plain or ("/" not in plain and path.endswith(f"/{plain}")) for path in paths)


def _plain(pattern: str) -> str:
    return pattern.removeprefix("./").strip("/")
