"""What a scripted model can do with a request: answer, call tools, or fail in the ways real models fail."""

from collections.abc import Mapping
from typing import Any

from shiftwork.records import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The usage that a turn reports; `input` excludes tokens read from or written to the cache."""

    input: int = 100
    output: int = 20
    cache_read: int = 0
    cache_write: int = 0


SOME_TOKENS = Tokens()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool call. A text as `input` is a free-form call, and `namespace` groups tools, if the interface supports
    these.
    """

    name: str
    input: Mapping[str, Any] | str = field(default_factory=dict)
    namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Plain text; it ends the session."""

    text: str
    usage: Tokens = SOME_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Tool calls, in parallel if there are several, after an optional text."""

    calls: tuple[ToolCall, ...]
    text: str = ""
    usage: Tokens = SOME_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class Think:
    """A thinking block before an answer."""

    thought: str
    then: Say | Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """An HTTP error; the default body is the interface's own for the status. Lists may `repeat` it."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    message: str = ""
    repeat: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """The connection closes before the first byte of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropMid:
    """The connection closes after the first piece of this text."""

    text: str = "This answer will not arrive whole, because its connection is cut."


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamError:
    """A stream that starts with status 200 and ends with an error event after the first piece of `text`."""

    kind: str = "overloaded_error"
    message: str = "Overloaded"
    text: str = "This answer will end in an error, long before it is whole."


@dataclass(frozen=True, slots=True, kw_only=True)
class Hang:
    """No answer for that long; then another turn, if the client is still connected."""

    seconds: float
    then: "Turn" = Say(text="Late.")


type Turn = Say | Call | Think | Fail | Drop | DropMid | StreamError | Hang


def call(name: str, /, **arguments: Any) -> Call:
    """The most common turn: a single call of a tool."""
    return Call(calls=(ToolCall(name=name, input=arguments),))
