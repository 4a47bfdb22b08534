"""The fact that people were told of something, or could not be; a run and its stories share it."""

from dataclasses import dataclass

from shiftwork.domain.core.fact import Fact
from shiftwork.domain.notices.notice import Occasion


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeTried(Fact):
    """`reached` are the channels that took the notice, `missed` those that did not, each with why."""

    number: int
    occasion: Occasion
    reached: tuple[str, ...]
    missed: tuple[tuple[str, str], ...] = ()
