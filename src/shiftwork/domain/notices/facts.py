"""The fact that a notice was sent or could not be; runs and stories share it."""

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.notices.notice import Occasion
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeTried(Fact):
    """`reached` are the channels that accepted the notice, `missed` those that did not, each with the reason."""

    number: int
    occasion: Occasion
    reached: tuple[str, ...]
    missed: tuple[tuple[str, str], ...] = ()
