"""What the application needs to tell people who do not watch."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something to be told. Whoever is told twice under one `key` has been told of one thing; `story` is empty where it
    is about the whole run.
    """

    key: str
    at: float
    occasion: str
    run: str
    story: str
    title: str
    text: str


class Notifier(Protocol):
    """One channel to people."""

    async def send(self, notice: Notice) -> None:
        """Hand the notice over; returns once it is taken. May be called again with the same one.

        Raises NotifyError where it is not taken; its message holds nothing secret of the channel's address.
        """
        ...
