"""What the server needs to know about a model's HTTP interface; each interface has a file beside this."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from shiftwork.records import dataclass
from shiftwork.regexes import regex
from shiftwork.testing.model_server.model_request import Conversation
from shiftwork.testing.model_server.turns import SOME_TOKENS, Call, Say, Think, Tokens, ToolCall

type Body = dict[str, Any]

PIECE = 40
"""Characters in a piece of a streamed text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer independent of the interface: a thought, a text and calls, each of them optional."""

    thought: str = ""
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Tokens = SOME_TOKENS

    @classmethod
    def to(cls, turn: Say | Call | Think) -> "Reply":
        match turn:
            case Say(text=text, usage=usage):
                return cls(text=text, usage=usage)
            case Call(calls=calls, text=text, usage=usage):
                return cls(text=text, calls=calls, usage=usage)
            case Think(thought=thought, then=then):
                rest = cls.to(then)
                return cls(thought=thought, text=rest.text, calls=rest.calls, usage=rest.usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A server-sent event."""

    name: str
    payload: Body

    def encode(self) -> bytes:
        return f"event: {self.name}\ndata: {json.dumps(self.payload)}\n\n".encode()


class Ids:
    """Ids for messages and calls: counted, so that two runs of the same script look the same."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def fresh(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers):020d}"


class Wire(Protocol):
    """A model's HTTP interface. It converts values; the server does the I/O."""

    name: str
    suffix: str
    """The suffix of its request paths."""
    session_headers: tuple[str, ...]
    """Headers by which agents distinguish their sessions."""

    def read(self, body: Body) -> Conversation:
        """The conversation in a request; never raises, whatever the body."""
        ...

    def whole(self, reply: Reply, conversation: Conversation, ids: Ids) -> Body:
        """The answer to a request that does not stream."""
        ...

    def frames(self, reply: Reply, conversation: Conversation, ids: Ids) -> Iterator[Frame]:
        """The answer in pieces; the names of events that carry a piece end in `delta`."""
        ...

    def error(self, status: int, message: str) -> Body:
        """The body of an HTTP error."""
        ...

    def broken(self, kind: str, message: str) -> Frame:
        """The event that ends a stream with an error."""
        ...


def pieces(text: str) -> list[str]:
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


def texts(content: object) -> list[str]:
    """All texts of a content that may be a string, a list of blocks, or an unknown structure."""
    if isinstance(content, str):
        return [content]
    return [text for block in objects(content) if isinstance(text := block.get("text"), str)]


def objects(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def word(body: Mapping[str, Any], key: str) -> str:
    value = body.get(key)
    return value if isinstance(value, str) else ""


_REMINDER = regex(r"\s*(<(system-reminder|environment_context|user_instructions|permissions)|# AGENTS\.md)")
_RESERVED = regex(r"\[SUGGESTION MODE|generate a (short )?title|Reply with ONLY the suggestion", re.IGNORECASE)


def own_words(said: list[str]) -> str:
    """What the user said, without the blocks that agents add for the model."""
    return "\n".join(text for text in said if not _REMINDER.match(text))


def is_auxiliary(tools: tuple[str, ...], last_said: list[str]) -> bool:
    """Whether this is a side request: it offers no tools, or it asks for a title or a suggestion."""
    return not tools or bool(_RESERVED.search("\n".join(last_said)[-6000:]))
