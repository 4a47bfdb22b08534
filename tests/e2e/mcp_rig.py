"""`shiftwork mcp` as a client sees it: a process that is spoken to line by line."""

import contextlib
import json
import subprocess
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from tests.e2e.cli_rig import SHIFTWORK
from tests.patience import eventually


class Client:
    """Sends requests and finds their answers, which come in any order."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.answers: list[dict[str, Any]] = []
        self._number = 0
        threading.Thread(target=self._read, args=(process.stdout,), daemon=True).start()

    def _read(self, output: IO[bytes]) -> None:
        for line in output:
            self.answers.append(json.loads(line))

    def send(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, **params: Any) -> int:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.send(json.dumps(message).encode())
        return self._number

    def answer(self, number: int) -> dict[str, Any]:
        eventually(lambda: any(item.get("id") == number for item in self.answers))
        return next(item for item in self.answers if item.get("id") == number)

    def call(self, tool: str, **arguments: Any) -> tuple[bool, Any]:
        """Whether the tool failed, and its document."""
        answer = self.answer(self.request("tools/call", name=tool, arguments=arguments))
        return answer["result"]["isError"], json.loads(answer["result"]["content"][0]["text"])

    def done(self, tool: str, **arguments: Any) -> Any:
        failed, document = self.call(tool, **arguments)
        assert not failed, document
        return document

    def refused(self, tool: str, **arguments: Any) -> Any:
        failed, document = self.call(tool, **arguments)
        assert failed, document
        assert document["schema"] == "shiftwork/error/1"
        return document


@contextlib.contextmanager
def serving(root: Path, env: Mapping[str, str]) -> Iterator[Client]:
    with subprocess.Popen(
        [SHIFTWORK, "mcp"], cwd=root, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            yield Client(process)
        finally:
            process.kill()
