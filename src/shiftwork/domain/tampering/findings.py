"""What a story has done to the checks that judge it, and the consequences."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from shiftwork.records import dataclass


class ProtectPolicy(StrEnum):
    """Whether gates also run with the base's own tests and gate configuration, or changes to these are only shown."""

    RESTORE = "restore"
    REPORT = "report"


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """`patterns` are globs of files; without any, those of the well-known tools apply. Files that the gates' `commands`
    name are protected as gate configuration.

    The rest is what the base shows about one change (`base_survey`): which new modules are `installed` already, which
    folders are `members` with modules of their own, which scripts gate configuration starts (`followed`) and which
    globs it includes (`included`), which files a runner has `listed` as tests, which code the settings of runners
    name (`loaded`), and which code outside of tests is a `support` that they alone use,
    which changed code tests load although no product code names it (`unnamed`), and of which test gates it is
    `unmeasured` what they load.
    """

    policy: ProtectPolicy = ProtectPolicy.RESTORE
    patterns: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    installed: frozenset[str] = frozenset()
    members: tuple[str, ...] = ()
    followed: frozenset[str] = frozenset()
    included: tuple[str, ...] = ()
    listed: frozenset[str] = frozenset()
    loaded: frozenset[str] = frozenset()
    support: frozenset[str] = frozenset()
    unnamed: frozenset[str] = frozenset()
    unmeasured: tuple[str, ...] = ()


class LaterPolicy(StrEnum):
    """What happens to files of a story that run later on the user's machine, and that the story did not ask for."""

    LEAVE_OUT = "leave_out"
    ASK = "ask"
    LAND = "land"


class Meddling(StrEnum):
    """What was found in a change; people see these words."""

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
    SUPPORT = "used by tests alone"
    UNNAMED = "loaded by tests and named by no product code"
    RUNNER = "use of the test runner by the code"
    PATCHED = "change of the test runner by the code"
    OWN = "settings of shiftwork"
    SPEC = "edit of the spec left out"
    LINKED = "link out of the tree"
    LATER = "run later on your machine"
    LEFT_OUT = "left out, for it would run later on your machine"
    UNREAD = "not looked through"
    LARGE = "large file"


_NAMED: Final = frozenset(
    {
        *(Meddling.LEFT, Meddling.CONFIGURED, Meddling.DEPENDED, Meddling.OWN, Meddling.SPEC, Meddling.LINKED),
        *(Meddling.LATER, Meddling.LEFT_OUT, Meddling.LARGE),
        *(Meddling.REDIRECTED, Meddling.RUNNER, Meddling.PATCHED, Meddling.SUPPORT),
        Meddling.UNNAMED,
    }
)
"""Kinds that say little without the names of the files."""

_BESIDE_TESTS: Final = frozenset(
    {Meddling.OWN, Meddling.SPEC, Meddling.LINKED, Meddling.LATER, Meddling.LEFT_OUT, Meddling.LARGE}
)
"""Kinds that do not change how the work is judged."""

_NAMES: Final = 3
_NAME: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A path that a change `A`dded, `M`odified, `D`eleted or gave another `T`ype. If it is now a symbolic link, `link`
    is its target. `size` is the number of bytes that it has now, of files of a megabyte and more.
    """

    path: str
    letter: str
    link: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A diff without context lines; `unread` files were too large and are not in it."""

    text: str = ""
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`count` counts files, tests or lines, depending on the kind; `line` is an example."""

    kind: Meddling
    path: str
    count: int = 1
    line: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """For the second run of the gates, `back` are the paths restored from the base, `out` are new paths that are left
    out, and in `keyed` files only the settings of test runners are restored. The `support` among them, code that tests
    alone use, is restored in a run of its own, because it may yet be product. What the `unmeasured` gates load is
    unknown, so that code which only they load may be changed without a report. `kept` paths stay as the base has them
    when the story lands; `left_out` are those of them that would run later on the user's machine. If the story is
    `held`, a person is asked about such files, or about large ones, before it lands. `objections` say why green
    gates prove nothing.
    """

    findings: tuple[Finding, ...] = ()
    back: tuple[str, ...] = ()
    out: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    keyed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    held: bool = False
    objections: tuple[str, ...] = ()
    support: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """One line, such as `2 edited, 1 left early (price.py)`; empty where there are no findings."""
        return self._listed(Meddling)

    @property
    def tests_message(self) -> str:
        """The part of the message about tests, and about what else judges the change."""
        return self._listed(kind for kind in Meddling if kind not in _BESIDE_TESTS)

    @property
    def other_message(self) -> str:
        """The other part, such as `1 large file (huge.bin)`."""
        return self._listed(kind for kind in Meddling if kind in _BESIDE_TESTS)

    def _listed(self, kinds: Iterable[Meddling]) -> str:
        return ", ".join(line for kind in kinds if (line := self._output(kind)))

    def _output(self, kind: Meddling) -> str:
        found = [finding for finding in self.findings if finding.kind is kind]
        if not found:
            return ""
        names = [_shown(finding.path) for finding in found[:_NAMES]] if kind in _NAMED else []
        more = " and more" if names and len(found) > _NAMES else ""
        return f"{sum(finding.count for finding in found)} {kind}" + (f" ({', '.join(names)}{more})" if names else "")


def _shown(path: str) -> str:
    """A name may contain anything, including line breaks, and this becomes a line of a commit's message."""
    plain = "".join(letter if letter.isprintable() else "\ufffd" for letter in path)
    return plain if len(plain) <= _NAME else f"…{plain[1 - _NAME :]}"


NOTHING_TOUCHED = Inspection()
