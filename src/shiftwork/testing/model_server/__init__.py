"""A model that follows a script and serves real agents over their real HTTP interfaces."""

from shiftwork.testing.model_server.model_request import Conversation, ModelRequest, ToolResult
from shiftwork.testing.model_server.script import Script
from shiftwork.testing.model_server.server import ModelServer
from shiftwork.testing.model_server.turns import (
    Call,
    Drop,
    DropMid,
    Fail,
    Hang,
    Say,
    StreamError,
    Think,
    Tokens,
    ToolCall,
    Turn,
    call,
)

__all__ = [
    "Call",
    "Conversation",
    "Drop",
    "DropMid",
    "Fail",
    "Hang",
    "ModelRequest",
    "ModelServer",
    "Say",
    "Script",
    "StreamError",
    "Think",
    "Tokens",
    "ToolCall",
    "ToolResult",
    "Turn",
    "call",
]
