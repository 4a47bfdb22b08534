"""Runs Shiftwork's own command for a request, and reads the document that it prints.

A process for each request, because every rule of the command line then holds here too: the same checks of branch, gates
and agents, and the same consent. Nobody is asked: what needs consent is refused, with the command to type.
"""

import asyncio
import json
import os
import signal
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from shiftwork.bootstrap.server.worker_command import reading_command, without_consent, words_input
from shiftwork.entrypoints.api.problems import Problem, status_of

_MOST: Final = 50
_AT_ONCE: Final = 4

type Json = dict[str, Any]


class OwnCommand:
    """A command in progress. It prints JSON lines; the last is its result."""

    def __init__(self, root: Path, env: Mapping[str, str], words: tuple[str, ...]) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._signal: signal.Signals | None = None
        self._reading = asyncio.ensure_future(self._last_line(root, env, words))

    def when_over(self, act: Callable[[], None]) -> None:
        self._reading.add_done_callback(lambda _: act())

    @property
    def is_over(self) -> bool:
        return self._reading.done()

    async def result(self, seconds: float | None) -> Json | None:
        """The last document; None if it takes longer than `seconds`. Raises Problem if the command has failed."""
        await asyncio.wait({self._reading}, timeout=seconds)
        if not self.is_over:
            return None
        last = self._reading.result()
        if not last:
            raise Problem(503, "unanswered", "the command gave no answer", "shiftwork doctor")
        if str(last.get("schema", "")).startswith("shiftwork/error/"):
            raise Problem(status_of(last["kind"]), last["kind"], last["message"], last["hint"])
        return last

    def end(self, number: signal.Signals) -> None:
        """Asks the command to end; one whose process does not exist yet ends with its start."""
        self._signal = number
        if self._process and self._process.returncode is None:
            self._process.send_signal(number)

    async def ended(self) -> None:
        await asyncio.wait({self._reading})

    async def _last_line(self, root: Path, env: Mapping[str, str], words: tuple[str, ...]) -> Json:
        process = self._process = await asyncio.create_subprocess_exec(
            *reading_command(),
            cwd=root,
            env=without_consent(env),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        if self._signal:
            process.send_signal(self._signal)
        printed, _ = await process.communicate(words_input(words))
        return _last_document(printed)


def _busy() -> Problem:
    return Problem(409, "busy", f"{_AT_ONCE} requests to start or change runs are in progress", "try again later")


def _last_document(printed: bytes) -> Json:
    lines = [line for line in printed.splitlines() if line.startswith(b"{")]
    try:
        found = json.loads(lines[-1]) if lines else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


class OwnCommands:
    """The commands that work for clients: they end with the server. The last that start or plan a run have an id, for
    clients that ask how far they are.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, OwnCommand] = OrderedDict()
        self._working: set[OwnCommand] = set()
        self._stopping = False
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def result(self, root: Path, env: Mapping[str, str], words: tuple[str, ...], seconds: float) -> Json:
        """What a short command prints, once there is a place for it. Raises Problem if that takes longer, and as
        `OwnCommand.result` does.
        """
        try:
            await asyncio.wait_for(self._places.acquire(), seconds)
        except TimeoutError:
            raise _busy() from None
        command = self._start(root, env, words)
        found = await command.result(seconds)
        if found is None:
            command.end(signal.SIGTERM)
            message = f"the command has not ended within {seconds:g} seconds; it may have done its work"
            raise Problem(503, "unanswered", message, "look at the run, then try again")
        return found

    def _start(self, root: Path, env: Mapping[str, str], words: tuple[str, ...]) -> OwnCommand:
        """Has a place until it is over. Raises Problem while the server stops."""
        if self._stopping:
            self._places.release()
            raise Problem(503, "stopping", "this server is stopping", "shiftwork serve; then try again")
        command = OwnCommand(root, env, words)
        command.when_over(self._places.release)
        self._working = {command, *(each for each in self._working if not each.is_over)}
        return command

    async def begin(self, root: Path, env: Mapping[str, str], words: tuple[str, ...]) -> str:
        """Starts the command; returns its id. Raises Problem if there is no place for it now."""
        if self._places.locked():
            raise _busy()
        await self._places.acquire()
        name = os.urandom(8).hex()
        self._known[name] = self._start(root, env, words)
        while len(self._known) > _MOST:
            self._known.popitem(last=False)
        return name

    def find(self, name: str) -> OwnCommand:
        """Raises Problem for an id that this server does not know."""
        if name not in self._known:
            raise Problem(404, "unknown-start", f"there is no start {name}", "GET /api/v1/runs lists the runs")
        return self._known[name]

    async def stop(self) -> None:
        """Asks all commands to end, and waits until they have, as for workers: an end takes as long as agents take. If
        this is cancelled, they end at once.
        """
        self._stopping = True
        for command in self._working:
            command.end(signal.SIGTERM)
        try:
            for command in self._working:
                await command.ended()
        finally:
            for command in self._working:
                command.end(signal.SIGKILL)
