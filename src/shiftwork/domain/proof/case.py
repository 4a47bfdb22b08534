"""What a story must prove, and what it offers."""

from dataclasses import dataclass

from shiftwork.domain.gates.verification import Verification
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is to be shown of a candidate before it lands, and what the story offers for it."""

    policy: ProofPolicy = ProofPolicy.TRUSTING
    criteria: tuple[Criterion, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    verification: tuple[Verification, ...] = ()
    vouched: str = ""
