"""An agent's request, as scripts and tests need it."""

from collections.abc import Mapping
from typing import Any

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The result of a tool; not every interface reports whether it `failed`."""

    call_id: str
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The content of a request body. `turn` is how many answers the model has already given in it."""

    model: str
    streamed: bool
    prompt: str
    system: str
    turn: int
    tools: tuple[str, ...]
    tool_results: tuple[ToolResult, ...]
    auxiliary: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """A request with its position.

    `number` counts the requests of its script from 0 and `retry` those of the same turn of the same conversation, so
    that a script can fail first and answer later; neither counts auxiliary requests.
    """

    script: str
    wire: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    conversation: Conversation
    session: str
    number: int
    retry: int

    @property
    def prompt(self) -> str:
        """The agent's task, without the reminders that it adds."""
        return self.conversation.prompt

    @property
    def turn(self) -> int:
        return self.conversation.turn

    @property
    def tools(self) -> tuple[str, ...]:
        return self.conversation.tools

    @property
    def last_tool_result(self) -> str:
        results = self.conversation.tool_results
        return results[-1].text if results else ""

    @property
    def auxiliary(self) -> bool:
        """A side request (a title, a quota probe): it never advances a script."""
        return self.conversation.auxiliary
