"""Posts a request only if nothing has arrived since it was checked; otherwise it is checked again.

Two people may ask at the same moment. Each request is checked against the state after all earlier messages; if another
message arrives first, that check is outdated, and the request could be lost without notice.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from shiftwork.app.messaging import messages
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.errors import IntentError
from shiftwork.ports.store import MessageBox
from shiftwork.records import dataclass

MOST_CHECKS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked[T]:
    """A request that the receiver can use after all messages up to the position `upto`; `found` is what the check has
    found.
    """

    key: str
    fact: Fact
    upto: int
    found: T


async def post_checked[T](
    inbox: MessageBox, target: Stream, check: Callable[[], Awaitable[Checked[T]]]
) -> tuple[Checked[T], Fact]:
    """Posts the request that `check` returns, once for its key; checks again while other messages arrive in between.
    Returns the request and what is stored under its key: an earlier request with that key stays.

    Raises what `check` raises, and IntentError if messages arrive too often.
    """
    for _ in range(MOST_CHECKS):
        checked = await check()
        if await messages.send(inbox, target, checked.key, checked.fact, after=checked.upto):
            return checked, checked.fact
        if earlier := await messages.stored(inbox, target, checked.key):
            return checked, earlier
    raise IntentError("nothing was requested: other messages arrived while the request was checked", hint="try again")
