"""The fact that records the proof of a story."""

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.proof.certificate import Certificate
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryCertified(Fact):
    """The proof of the landed story; `sha256` is the digest of the certificate in its canonical form."""

    certificate: Certificate
    sha256: str
