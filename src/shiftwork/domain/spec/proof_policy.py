"""How much proof a spec asks for."""

from enum import StrEnum


class ProofPolicy(StrEnum):
    """What evidence a story needs for each of its criteria before it lands.

    `STRICT` accepts only what was observed to hold, and a person's word where nothing else can decide. `CITED` also
    accepts a named test that exists. `TRUSTING` checks and records the evidence, and refuses nothing because it is
    missing.
    """

    STRICT = "strict"
    CITED = "cited"
    TRUSTING = "trusting"
