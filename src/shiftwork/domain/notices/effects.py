"""Effects that send notices."""

from dataclasses import dataclass

from shiftwork.domain.core.effect import Effect
from shiftwork.domain.notices.notice import Occasion


@dataclass(frozen=True, slots=True, kw_only=True)
class Notify(Effect):
    """Notify people through these channels, as the `nth` try; `number` is the notice's number in its stream."""

    number: int
    nth: int
    occasion: Occasion
    channels: tuple[str, ...]
