"""Notifies people who are not watching."""

from typing import Protocol

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A notification. Two notices with the same `key` are the same notification; `story` is empty if the notice is
    about the whole run. `url` is the address that the run's workflow names, for the channel that posts there.
    """

    key: str
    at: float
    occasion: str
    run: str
    story: str
    title: str
    text: str
    url: str = ""


class Notifier(Protocol):
    """A notification channel."""

    async def send(self, notice: Notice) -> None:
        """Deliver the notice; returns once the channel has accepted it. May be called again with the same notice.

        Raises NotifyError if the channel rejects it; the message contains no secret part of the channel's address.
        """
        ...
