"""What a story has done to the checks that judge it, and what is done about that."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum


class ProtectPolicy(StrEnum):
    """Whether gates also run with the base's own tests and gate configuration, or changes to these are only told."""

    RESTORE = "restore"
    REPORT = "report"


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """`patterns` are globs of files; without any, those of the well-known tools are meant."""

    policy: ProtectPolicy = ProtectPolicy.RESTORE
    patterns: tuple[str, ...] = ()


class Meddling(StrEnum):
    """What was found in a change; the words are what people are told."""

    EDITED = "edited"
    DELETED = "deleted"
    REMOVED = "removed"
    SKIPPED = "skipped"
    WEAKENED = "weakened"
    LEFT = "left early"
    CONFIGURED = "gate configuration"


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A path that a change has `A`dded, `M`odified, `D`eleted or made of another `T`ype."""

    path: str
    letter: str


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
    them; `out` are those that the base does not have and that are left out of it.
    """

    findings: tuple[Finding, ...] = ()
    back: tuple[str, ...] = ()
    out: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """On one line, such as `2 edited, 1 skipped`; empty where there is nothing to tell."""
        counts: Counter[Meddling] = Counter()
        for found in self.findings:
            counts[found.kind] += found.count
        return ", ".join(f"{counts[kind]} {kind}" for kind in Meddling if counts[kind])


NOTHING_TOUCHED = Inspection()
