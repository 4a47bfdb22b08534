"""The parts of the rows that front ends read. A field is stored in the column of its name, or in the named column."""

from enum import StrEnum
from typing import Any

from shiftwork.records import dataclass, field

COLUMN = "column"
"""The key, in the metadata of a field, of the column in which it is stored."""


class WaitCause(StrEnum):
    """What a story waits for: the end of a rate limit of its agent (`RATE_LIMIT`), or a person. `UNKNOWN`: nothing, or
    something that this release does not know.
    """

    UNKNOWN = ""
    RATE_LIMIT = "reset"
    LIMIT = "limit"
    APPROVAL = "approval"
    CHANGED = "changed"
    EXHAUSTED = "exhausted"
    QUESTION = "question"
    EVIDENCE = "evidence"
    DEPENDENCIES = "dependencies"
    MESSAGE = "message"

    @classmethod
    def _missing_(cls, value: object) -> "WaitCause":  # noqa: ARG003 - the signature of enums
        return cls.UNKNOWN


def _in(column: str, default: Any) -> Any:
    return field(default=default, metadata={COLUMN: column})


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedPart:
    """What agents have used. `tries` counts their ended attempts: for some the cost (`unpriced`) or the tokens
    (`uncounted`) are unknown, and the cost of some is `estimated` from their tokens.
    """

    cost_usd: float | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    tries: int = 0
    unpriced: int = 0
    uncounted: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingPart:
    """What a story waits for. `detail` is the question or the reason, `choices` are the answers to choose from. `until`
    is the end of a rate limit. `undelivered` lists the channels that could not deliver the notice, and why.
    """

    cause: WaitCause = _in("hold", WaitCause.UNKNOWN)
    detail: str = _in("waiting", "")
    choices: tuple[str, ...] = ()
    until: float | None = None
    undelivered: str = ""

    @property
    def waits(self) -> bool:
        """Whether the story waits for anything."""
        return bool(self.cause or self.detail)

    @property
    def needs_person(self) -> bool:
        return self.waits and self.until is None


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitPart:
    """The limit that a story has reached: whose it is, its amount, the amount spent and the amount that the next
    attempt may need, in the units concerned. `whose` is empty if there is none or it was not recorded.
    """

    whose: str = _in("limit_of", "")
    usd: float | None = _in("limit_usd", None)
    tokens: int | None = _in("limit_tokens", None)
    sessions: int | None = _in("limit_sessions", None)
    spent_usd: float | None = _in("limit_spent_usd", None)
    spent_tokens: int | None = _in("limit_spent_tokens", None)
    spent_sessions: int | None = _in("limit_spent_sessions", None)
    needed_usd: float | None = _in("limit_needed_usd", None)
    needed_tokens: int | None = _in("limit_needed_tokens", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofPart:
    """How far a landed story is proved: the level (see `ProofLevel`), how many of its `criteria` are `shown` by
    evidence, and weak points. The level is empty if nothing is recorded.
    """

    level: str = _in("proof", "")
    shown: int = 0
    criteria: int = 0
    remark: str = _in("proof_remark", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingPart:
    """The progress of a landing: `none`, `requested`, `waiting` for an approval, `refused` or `landed`, and as which
    commit on which branch. `refusal` is why it was refused, if that made the story fail. `tests` is what the story
    changed in tests and gate configuration.
    """

    progress: str = _in("landing", "none")
    commit: str = ""
    ref: str = ""
    refusal: str = ""
    tests: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptSum:
    """How many ended attempts of a story have this `ending`, and how long all of them and the longest have taken."""

    story: str
    ending: str
    number: int
    seconds: float
    longest: float
