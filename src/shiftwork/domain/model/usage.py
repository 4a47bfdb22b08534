"""What an attempt has used: tokens, and money where the agent told it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Counts add up; an unknown cost stays unknown (`None`) and is never shown as zero. One that is `estimated` in part
    was not told by the agent but follows from its tokens.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        known = [cost for cost in (self.cost_usd, other.cost_usd) if cost is not None]
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=sum(known) if known else None,
            estimated=self.estimated or other.estimated,
        )


NOTHING_USED = Usage()
