"""Which tests and gate configuration a story may change because its spec says so: those that `touches` names, and never
everything that a broad pattern happens to cover.

`touches` also helps to order stories, so `src/**` is a common pattern. It must not let `src/conftest.py` change
unnoticed.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.commands import is_check_script, named
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.tampering.later_files import names_later
from shiftwork.domain.tampering.protected_paths import is_configuration, is_test
from shiftwork.regexes import regex

_WILDCARD: Final = regex(r"\*\*/|\*+|\?")
_SAMPLE: Final = "x"


def exempt(patterns: Iterable[str], paths: Sequence[str], protection: Protection) -> tuple[str, ...]:
    """The patterns that let a story change the checks that judge it: those that name checks, and those that are the
    exact path of a changed file in `paths`.
    """
    return tuple(pattern for pattern in patterns if names_checks(pattern, protection) or _names_file(pattern, paths))


def opened(spec: Spec, protection: Protection) -> dict[StoryId, tuple[str, ...]]:
    """Which checks, and which files that run later on the user's machine, the spec lets each story change, as far as it
    is known before the work; stories that may change none are left out.
    """
    found = {
        story.id: tuple(name for name in story.allowed if names_checks(name, protection) or names_later(name))
        for story in spec.stories
    }
    return {story: patterns for story, patterns in found.items() if patterns}


def names_checks(pattern: str, protection: Protection) -> bool:
    """Whether the pattern names tests or gate configuration literally: `tests/**` and `**/*_test.go` do; `**` and
    `src/**` do not, although they cover some.
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
