"""Effects that send notices."""

from shiftwork.domain.core.effect import Effect
from shiftwork.domain.notices.notice import Occasion
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Notify(Effect):
    """Notify people through these channels, as the `nth` try; `number` is the notice's number in its stream."""

    number: int
    nth: int
    occasion: Occasion
    channels: tuple[str, ...]
