"""The certificate of a story: what was asked, what proved it, what it cost, and which commit it is about."""

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.gates.fail_to_pass_result import FailToPass
from shiftwork.domain.gates.gate import ExcusedGate, NotNeeded
from shiftwork.domain.gates.verification import Verification
from shiftwork.domain.proof.verdict import Judged
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.usage.usage import Usage
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLine:
    """A gate that was green on the commit, or, if `restored`, on the commit with your original tests. Its output is
    only in the history. Early certificates have no `command`. A `blind` gate does not see the tree: it proved nothing.
    `origin` is the spec that named the gate; empty where the settings did. If what the gate ran could have forged its
    result, `forgeable` says why.
    """

    name: str
    seconds: float
    flaky: bool = False
    restored: bool = False
    command: str = ""
    blind: bool = False
    origin: str = ""
    forgeable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedLine:
    """A verification step that passed on the commit; `forgeable` as for a gate."""

    step: Verification
    seconds: float
    forgeable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLine:
    """A step of the story: its attempts, its agent, and what they used."""

    step: str
    type: str
    attempts: int
    agent: str
    model: str
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """`commit` has the tree `tree` and the parent `base`; it landed on `ref`. `confirmed` is a person's statement about
    the criteria that nothing else can check. `fail_to_pass` says whether the tests that the story changed fail without
    its change; None where it is unknown. The user let the run continue `without_gates`: these gates prove nothing here.
    Steps that an edit `skipped` have the reason beside them. Files that would run later on the user's machine, and that
    the story did not ask for, were `left_out`. Gates that the change was not about were `not_needed`, and did not run.
    `excused` gates were red with the story's new tests left out, for a reason that says nothing about the story.
    What the `unmeasured` gates load is unknown.
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
    confirmed: str = ""
    fail_to_pass: FailToPass | None = None
    without_gates: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    not_needed: tuple[NotNeeded, ...] = ()
    excused: tuple[ExcusedGate, ...] = ()
    unmeasured: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A statement of a certificate, checked again; `passed` is None where it cannot be checked here."""

    name: str
    passed: bool | None
    message: str
