"""How much proof a spec asks for."""

from enum import StrEnum


class ProofPolicy(StrEnum):
    """What a story must show for each of its criteria before it lands.

    `STRICT` takes only what was seen to hold, and a person where nobody else can tell; `CITED` takes a named test that
    is there as well; `TRUSTING` checks and records what is offered, and refuses nothing for want of it.
    """

    STRICT = "strict"
    CITED = "cited"
    TRUSTING = "trusting"
