"""The certificate of a story: what was asked, what proved it, what it took, and which commit it speaks of."""

from dataclasses import dataclass

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.gates.fail_to_pass_result import FailToPass
from shiftwork.domain.gates.verification import Verification
from shiftwork.domain.proof.verdict import Judged
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.usage.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLine:
    """A gate that was green on the commit, or, `restored`, on it with the tests of the base. What it printed is left to
    the history. The first certificates do not say which `command` it was. A `blind` one does not see the tree: it
    proved nothing. `origin` is the spec that named the gate; empty where the settings did.
    """

    name: str
    seconds: float
    flaky: bool = False
    restored: bool = False
    command: str = ""
    blind: bool = False
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedLine:
    """A verification step that passed on the commit."""

    step: Verification
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLine:
    """A step of the story: how often it was tried, by whom, and what that took."""

    step: str
    type: str
    attempts: int
    agent: str
    model: str
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """`commit` has the tree `tree` and stands on `base`; it was put on `ref`. `vouched` is what a person has said for
    the criteria that nobody else can check. `fail_to_pass` says whether the tests that the story changed fail without
    its change; nothing where it is not known. The user has let the run continue `without_gates`: those say nothing of
    it. Steps that were `skipped` by an edit have the reason beside them; files that would run later on the user's
    machine, and that nobody had asked for, were `left_out`.
    """

    run: RunId
    story: StoryId
    title: str
    ref: str
    commit: Commit
    base: Commit
    tree: str
    policy: ProofPolicy
    criteria: tuple[Judged, ...]
    gates: tuple[GateLine, ...]
    verification: tuple[VerifiedLine, ...]
    steps: tuple[StepLine, ...]
    repairs: int
    conflicts: int
    usage: Usage
    vouched: str = ""
    fail_to_pass: FailToPass | None = None
    without_gates: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One thing that a certificate says, looked at again; `passed` is None where that cannot be checked here."""

    name: str
    passed: bool | None
    told: str
