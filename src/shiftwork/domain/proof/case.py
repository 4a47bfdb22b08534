"""What a story must prove, and what it offers."""

from shiftwork.domain.gates.verification import Verification
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a candidate must prove before it lands, and the evidence that the story offers. Criteria whose gates the
    user leaves out are `not_checked`.
    """

    policy: ProofPolicy = ProofPolicy.TRUSTING
    criteria: tuple[Criterion, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    verification: tuple[Verification, ...] = ()
    confirmed: str = ""
    not_checked: tuple[str, ...] = ()
