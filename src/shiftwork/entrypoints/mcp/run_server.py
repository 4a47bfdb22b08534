"""`shiftwork mcp`: serves the tools that hand work to Shiftwork, over standard input and output.

Calls are answered as they end, not in order: a client that waits for one run may ask about another.
"""

import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from shiftwork.entrypoints.mcp.mcp_server import PARSE_ERROR, Server, error_line
from shiftwork.entrypoints.mcp.quoting import NOTICE
from shiftwork.entrypoints.mcp.run_toolbox import RunToolbox, called, refusal
from shiftwork.entrypoints.mcp.run_tools import RUN_TOOLS

SKILL: Final = Path(__file__).with_name("SKILL.md")

_LONGEST_LINE: Final = 1 << 20
_AT_ONCE: Final = 16
_END_SECONDS: Final = 10


def serve_runs(root: Path, env: Mapping[str, str]) -> None:
    """Answers until the client closes the connection. Runs continue."""
    Connection(root, env, sys.stdout.buffer).serve(sys.stdin.buffer)


class Connection:
    """One client."""

    def __init__(self, root: Path, env: Mapping[str, str], output: BinaryIO) -> None:
        self._closing = threading.Event()
        self._output = output
        self._writing = threading.Lock()
        self._places = threading.Semaphore(_AT_ONCE)
        self._threads: list[threading.Thread] = []
        toolbox = RunToolbox(root, env, self._closing)
        self._server = Server(
            lambda name, arguments: called(toolbox, name, arguments),
            tools=RUN_TOOLS,
            rejected=lambda reason: refusal("usage", reason, "the list of tools says which arguments each takes"),
            instructions=NOTICE,
        )

    def serve(self, lines: BinaryIO) -> None:
        while line := lines.readline(_LONGEST_LINE + 1):
            if len(line) > _LONGEST_LINE:
                while line and not line.endswith(b"\n"):
                    line = lines.readline(_LONGEST_LINE)
                self._write(error_line(PARSE_ERROR, f"a line has at most {_LONGEST_LINE} bytes"))
                continue
            self._places.acquire()
            thread = threading.Thread(target=self._answer, args=(line,), daemon=True)
            self._threads = [other for other in self._threads if other.is_alive()] + [thread]
            thread.start()
        self._closing.set()
        until = time.monotonic() + _END_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _answer(self, line: bytes) -> None:
        try:
            self._write(self._server.answer(line))
        finally:
            self._places.release()

    def _write(self, answer: bytes) -> None:
        with self._writing:
            try:
                self._output.write(answer)
                self._output.flush()
            except (BrokenPipeError, ValueError):  # the client has gone, and so will its input
                return


def description() -> dict[str, Any]:
    """How a client starts the server, and what it offers."""
    return {
        "server": {"command": "shiftwork", "args": ["mcp"], "type": "stdio"},
        "tools": [{"name": tool["name"], "description": tool["description"]} for tool in RUN_TOOLS],
        "skill": SKILL.read_text(encoding="utf-8"),
    }
