"""What a story has done to the checks that judge it, and what is done about that."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class ProtectPolicy(StrEnum):
    """Whether gates also run with the base's own tests and gate configuration, or changes to these are only told."""

    RESTORE = "restore"
    REPORT = "report"


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """`patterns` are globs of files; without any, those of the well-known tools are meant. What the gates' `commands`
    name is protected as gate configuration is.

    The rest is what the base says about one change (`base_survey`): which new modules are `installed` already,
    which folders are `members` with modules of their own, which scripts gate configuration starts (`followed`) and
    which globs it takes lines from (`included`), and which files a runner has `listed` as tests.
    """

    policy: ProtectPolicy = ProtectPolicy.RESTORE
    patterns: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    installed: frozenset[str] = frozenset()
    members: tuple[str, ...] = ()
    followed: frozenset[str] = frozenset()
    included: tuple[str, ...] = ()
    listed: frozenset[str] = frozenset()


class LaterPolicy(StrEnum):
    """What is done with files of a story that run on the user's machine later, and that nobody has asked for."""

    LEAVE_OUT = "leave_out"
    HOLD = "hold"
    LAND = "land"


class Meddling(StrEnum):
    """What was found in a change; the words are what people are told."""

    EDITED = "edited"
    DELETED = "deleted"
    ADDED = "added"
    REMOVED = "removed"
    SKIPPED = "skipped"
    WEAKENED = "weakened"
    LEFT = "left early"
    CONFIGURED = "gate configuration"
    DEPENDED = "dependency or lock file"
    REDIRECTED = "package from elsewhere"
    RUNNER = "use of the test runner by the code"
    PATCHED = "change of the test runner by the code"
    OWN = "settings of shiftwork"
    SPEC = "edit of the spec left out"
    LINKED = "link out of the tree"
    LATER = "run later on your machine"
    LEFT_OUT = "left out, for it would run later on your machine"
    UNREAD = "not looked through"


_NAMED: Final = frozenset(
    {
        *(Meddling.LEFT, Meddling.CONFIGURED, Meddling.DEPENDED, Meddling.OWN, Meddling.SPEC, Meddling.LINKED),
        *(Meddling.LATER, Meddling.LEFT_OUT),
        *(Meddling.REDIRECTED, Meddling.RUNNER, Meddling.PATCHED),
    }
)
"""Kinds that say little without the names of the files."""

_NAMES: Final = 3
_NAME: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A path that a change has `A`dded, `M`odified, `D`eleted or made of another `T`ype. One that is now a symbolic
    link leads to `link`.
    """

    path: str
    letter: str
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A diff without lines around the changes; what is `unread` was too much and is not in it."""

    text: str = ""
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`count` is of files, tests or lines, by kind; `line` shows one of them."""

    kind: Meddling
    path: str
    count: int = 1
    line: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """`back` are the paths whose version of the base is put back for the second run of the gates, where the base has
    them; `out` are those that the base does not have and that are left out of it; of those that are `keyed` only the
    settings of test runners are as the base has them. What is `kept` stays as the base has it when the story lands;
    `left_out` are those of them that would run on the user's machine later. Where the story is `held`, a person is
    asked about such files before it lands.
    `objections` say why green gates prove nothing.
    """

    findings: tuple[Finding, ...] = ()
    back: tuple[str, ...] = ()
    out: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    keyed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    held: bool = False
    objections: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """On one line, such as `2 edited, 1 left early (price.py)`; empty where there is nothing to tell."""
        return ", ".join(line for kind in Meddling if (line := self._told(kind)))

    def _told(self, kind: Meddling) -> str:
        found = [one for one in self.findings if one.kind is kind]
        if not found:
            return ""
        names = [_shown(one.path) for one in found[:_NAMES]] if kind in _NAMED else []
        more = " and more" if names and len(found) > _NAMES else ""
        return f"{sum(one.count for one in found)} {kind}" + (f" ({', '.join(names)}{more})" if names else "")


def _shown(path: str) -> str:
    """A name can hold anything, a line break too, and this becomes a line of a commit's message."""
    plain = "".join(letter if letter.isprintable() else "\ufffd" for letter in path)
    return plain if len(plain) <= _NAME else f"…{plain[1 - _NAME :]}"


NOTHING_TOUCHED = Inspection()
