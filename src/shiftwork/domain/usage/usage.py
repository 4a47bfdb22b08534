"""What one or several attempts have used: tokens, and money where it is known."""

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Counts add up; an unknown cost stays unknown (`None`) and is never shown as zero. An `estimated` cost was, at
    least in part, computed from tokens and not reported by the agent. Of the input tokens, `cached_tokens` came from a
    cache.

    An agent reports one attempt and the `model` it used; a sum has no model. A sum counts its `attempts`, those with
    unknown price (`unpriced`) and those with unknown tokens (`uncounted`); with any of these, its amounts are minimums.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    estimated: bool = False
    cached_tokens: int = 0
    model: str = ""
    attempts: int = 0
    unpriced: int = 0
    uncounted: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        own, added = self.cost_usd, other.cost_usd
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=added if own is None else own if added is None else own + added,
            estimated=self.estimated or other.estimated,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            attempts=self.attempts + other.attempts,
            unpriced=self.unpriced + other.unpriced,
            uncounted=self.uncounted + other.uncounted,
        )


NOTHING_USED = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one profile has used with one model, which is empty where it is unknown."""

    agent: str
    model: str
    usage: Usage
