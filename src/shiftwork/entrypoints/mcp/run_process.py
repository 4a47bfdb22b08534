"""Shiftwork's own command as a process that outlives this one: it belongs to no client and gives up no work.

A process for each call, because a run must survive the end of the client, and because every rule of the command line
then holds here too: the same intents, the same queries, the same consent. It takes half a second.
"""

import contextlib
import json
import subprocess
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shiftwork.bootstrap.server.worker_command import reading_command, without_consent, words_input

type Document = dict[str, Any]


class RunProcess:
    """A command in progress. It writes JSON lines, which are read as they come; its last document is the result."""

    def __init__(self, root: Path, words: tuple[str, ...], env: Mapping[str, str]) -> None:
        self.last: Document = {}
        self.over = False
        self.begun: Document | None = None
        """The first event of a run that continues in this process."""
        self._news = threading.Condition()
        self._process = subprocess.Popen(  # noqa: S603 - our own command, without a shell
            reading_command(leaves=True),  # clients end the processes below the server with it
            cwd=root,
            env=without_consent(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        if self._process.stdin:
            with contextlib.suppress(BrokenPipeError), self._process.stdin as read:
                read.write(words_input(words))
        threading.Thread(target=self._read, daemon=True).start()

    def until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Waits until it holds; False if the time is up."""
        with self._news:
            return self._news.wait_for(holds, seconds)

    def _read(self) -> None:
        self._process.wait()  # it only starts the other
        for line in self._process.stdout or ():
            try:
                document = json.loads(line)
            except ValueError:
                continue
            with self._news:
                self.last = document if isinstance(document, dict) else {}
                if self.begun is None and ("at" in self.last or "time" in self.last):
                    self.begun = self.last
                self._news.notify_all()
        with self._news:
            self.over = True
            self._news.notify_all()
