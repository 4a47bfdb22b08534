"""How much of the machine a gate may access: the levels of confinement, the strictest first."""

from enum import IntEnum


class Rung(IntEnum):
    """A gate uses the strictest level on which its result on the base equals the result without a sandbox."""

    CUT = 1
    OWN = 2
    HOST = 3
    UNCONFINED = 4

    @property
    def word(self) -> str:
        """The level's name, as typed and stored."""
        return _WORDS[self]

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]

    @property
    def needs_consent(self) -> bool:
        return self > Rung.OWN


_WORDS = {Rung.CUT: "cut", Rung.OWN: "own", Rung.HOST: "host", Rung.UNCONFINED: "unconfined"}
_MEANINGS = {
    Rung.CUT: "in the sandbox, without a network",
    Rung.OWN: "in the sandbox, with a network of its own: package registries, and ports that the settings name",
    Rung.HOST: "in the sandbox, with this machine's network and all services on it",
    Rung.UNCONFINED: "without a sandbox, with your rights",
}


def rung_of(word: str) -> Rung | None:
    """The level with that name, or None."""
    return next((rung for rung in Rung if rung.word == word), None)
