"""What proves that a story is done: what was found in the candidate, and the verdicts."""

from enum import StrEnum

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.records import dataclass


class Verdict(StrEnum):
    """The result of checking the evidence for a criterion on the candidate. A criterion is not checked where a person
    lets the run continue without its gate.
    """

    HOLDS = "holds"
    PRESENT = "present"
    FALSE = "false"
    MISSING = "missing"
    CONFIRMED = "confirmed"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A criterion, the evidence that was offered for it, and the verdict with its reason."""

    criterion: str
    text: str
    kind: str
    reference: str
    verdict: Verdict
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofReport:
    """The criteria of one story judged on one commit, whose tree is `tree`."""

    commit: Commit
    tree: str
    policy: ProofPolicy
    criteria: tuple[Judged, ...] = ()


class ProofLevel(StrEnum):
    """How well a landed story is proved: every criterion has checked evidence and a gate saw the tree; gates passed and
    some criteria have no evidence; gates passed and there are no criteria; no gate saw the tree.
    """

    PROVED = "proved"
    PARTLY = "partly"
    GATES_ONLY = "gates_only"
    NO_GATES = "no_gates"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofStatus:
    """The level, how many of the `criteria` have evidence (`shown`), and what else a reader must know."""

    level: ProofLevel
    shown: int = 0
    criteria: int = 0
    remark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFound:
    """A file of a commit: how many lines it has, and which of them, first and last, the commit's change wrote."""

    path: str
    lines: int
    changed: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NameFound:
    """The name of a test, the files of a commit that define it, and those of them that did so before the change."""

    name: str
    files: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found of what was looked for in a commit; missing files are not in `files`."""

    tree: str
    files: tuple[FileFound, ...] = ()
    names: tuple[NameFound, ...] = ()
