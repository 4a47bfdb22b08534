"""What the HTTP interface of a server is started with."""

from collections.abc import Callable

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """The port, 0 for any free one; `say` prints a line where the server prints its own, and `publish` writes the
    address of the interface to the server's file, where commands find it.
    """

    port: int
    say: Callable[[str], None]
    publish: Callable[[str], None]
