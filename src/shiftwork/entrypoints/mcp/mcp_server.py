"""The wire: MCP over standard input and output, one JSON-RPC message a line, answered one after another.

Not taken: the `mcp` package. It imports some hundred modules, 0.9 s of processor time, before it answers its first
message, and every attempt of every agent waits for that. Here `initialize` and `tools/list` are answered about 0.05 s
after the start of the interpreter, and what the tools themselves need (0.1 s) is imported when the first of them is
called. The package's own client is among the tests of this server.
"""

import json
import signal
import sys
from collections.abc import Callable
from typing import Any, Final

from shiftwork.entrypoints.mcp.tools import TOOLS, Tool, misfits

VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""All versions with a handshake, the latest first: for a server of tools they are the same."""

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602

type Params = dict[str, Any]
type Caller = Callable[[str, Params], Any]
"""Calls a tool by its name."""


class RefusedCall(Exception):  # noqa: N818 - an answer on its way out, like the next
    """A tool answers with a document that says why it did nothing."""

    def __init__(self, document: Params) -> None:
        super().__init__(str(document.get("message", "")))
        self.document = document


class _Refusal(Exception):  # noqa: N818 - an answer on its way out: it never leaves this module
    """A request that gets a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def serve(attempt_folder: str) -> None:
    """Answers until the agent closes the connection or says it is over: some wait for this process to end."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    server = Server(_calling(attempt_folder))
    for line in sys.stdin.buffer:
        answer = server.answer(line)
        if answer:
            try:
                sys.stdout.buffer.write(answer)
                sys.stdout.buffer.flush()
            except BrokenPipeError:
                return


def _calling(attempt_folder: str) -> Caller:
    toolbox: list[Any] = []

    def caller(name: str, arguments: Params) -> Any:
        if not toolbox:
            from pathlib import Path  # noqa: PLC0415 - most attempts call no tool, and all wait for this server

            from shiftwork.entrypoints.mcp.toolbox import Toolbox  # noqa: PLC0415 - as above

            toolbox.append(Toolbox(Path(attempt_folder)))
        return getattr(toolbox[0], name)(**arguments)

    return caller


class Server:
    """One connection. Every line is answered or ignored; nothing is raised."""

    def __init__(
        self,
        caller: Caller,
        tools: tuple[Tool, ...] = TOOLS,
        rejected: Callable[[str], Any] = "REJECTED: {}".format,
        instructions: str = "",
    ) -> None:
        self._instructions = instructions
        self._caller = caller
        self._rejected = rejected
        self._tools = {tool["name"]: tool for tool in tools}
        self._methods: dict[str, Callable[[Params], Params]] = {
            "initialize": self._initialize,
            "ping": lambda _: {},
            "tools/list": lambda _: {"tools": list(self._tools.values())},
            "tools/call": self._call,
        }

    def answer(self, line: bytes) -> bytes:
        """The line to send back; empty if no answer is needed."""
        if not line.strip():
            return b""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return _line(_error(None, PARSE_ERROR, "this line is not JSON"))
        if isinstance(message, list) and message:
            answers = [answer for item in message if (answer := self._answer(item))]
            return _line(answers) if answers else b""
        answer = self._answer(message)
        return _line(answer) if answer else b""

    def _answer(self, message: Any) -> Params | None:
        if not isinstance(message, dict) or not _identified(message):
            return _error(None, INVALID_REQUEST, "a message is an object, and its id a text or a whole number")
        if "result" in message or "error" in message:
            return None  # the server sends no requests, so this answers none
        method, number = message.get("method"), message.get("id")
        if not isinstance(method, str):
            return _error(number, INVALID_REQUEST, "the method is missing")
        if "id" not in message:
            return None  # a notification: none changes anything here
        try:
            return {"jsonrpc": "2.0", "id": number, "result": self._result(method, message.get("params"))}
        except _Refusal as refusal:
            return _error(number, refusal.code, str(refusal))

    def _result(self, method: str, params: Any) -> Params:
        if method not in self._methods:
            raise _Refusal(METHOD_NOT_FOUND, f"there is no method {method:.100}")
        if not isinstance(params, dict | None):
            raise _Refusal(INVALID_PARAMS, "params is an object")
        return self._methods[method](params or {})

    def _initialize(self, params: Params) -> Params:
        asked = params.get("protocolVersion")
        return {
            "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "shiftwork", "version": "1"},
            **({"instructions": self._instructions} if self._instructions else {}),
        }

    def _call(self, params: Params) -> Params:
        """Mistakes in a call are returned as the tool's answer, so that the agent can fix them."""
        name, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or name not in self._tools:
            raise _Refusal(INVALID_PARAMS, f"there is no tool {name!r:.100}; known are {', '.join(self._tools)}")
        if not isinstance(arguments, dict):
            raise _Refusal(INVALID_PARAMS, "arguments is an object")
        if misfit := misfits(self._tools[name], arguments):
            return _output(self._rejected(misfit), failed=True)
        try:
            return _output(self._caller(name, arguments), failed=False)
        except RefusedCall as refused:
            return _output(refused.document, failed=True)
        except Exception as error:  # noqa: BLE001 - a tool that fails must not take the other tools with it
            return _output(f"the tool failed: {type(error).__name__}: {error}", failed=True)


def error_line(code: int, message: str) -> bytes:
    """The answer to a line that is no message."""
    return _line(_error(None, code, message))


def _identified(message: Params) -> bool:
    number = message.get("id", 0)
    return isinstance(number, int | str) and not isinstance(number, bool)


def _output(answer: Any, *, failed: bool) -> Params:
    text = answer if isinstance(answer, str) else json.dumps(answer, indent=2)
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def _error(number: int | str | None, code: int, message: str) -> Params:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def _line(message: Any) -> bytes:
    return json.dumps(message).encode("ascii") + b"\n"
