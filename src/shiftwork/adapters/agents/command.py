"""A plain command as an agent: prompt on standard input, answer on standard output, zero for success, 75 at a limit.

A program that does not know that code is at a limit, too, if the end of its errors says so.
"""

import os
import shlex
import signal
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.agents._driver import HomeFiles, Launch, Transcript
from shiftwork.adapters.agents._process import ProcessAgent, from_path, named_files
from shiftwork.adapters.agents.agent_options import AgentOptions
from shiftwork.adapters.agents.json_lines import manner
from shiftwork.adapters.processes.supervisor.output_lines import Tail
from shiftwork.adapters.sandbox.sandbox import OPEN, Sandbox
from shiftwork.errors import AgentMissingError
from shiftwork.ports.agent import Agent, AgentEvent, AgentReport, AgentTask, Ending, EventKind
from shiftwork.regexes import regex

ANSWER_BYTES: Final = 256 * 1024
TRY_LATER: Final = 75
"""EX_TEMPFAIL of sysexits.h: a command exits with it if it has reached a limit and should be retried later."""

_LIMIT: Final = regex(r"\b429 Too Many Requests\b|\brate_limit")
_LAST_LINES: Final = 10
"""What a program prints at its end if the interface of its model refuses it for a while."""

_BARE: Final = regex(r"\s*(?:[A-Za-z_]\w*=[^\s'\"\\$`]*\s+)*([A-Za-z0-9_][\w.+-]*)(?=\s|$)")
"""The name of a program at the start of a command, after assignments of variables."""

_BUILT_IN: Final = """
    alias bg break case cd command continue do echo eval exec exit export false for function getopts hash if local
    printf pwd read readonly return set shift source test time times trap true type ulimit umask unset until wait while
"""
_OF_THE_SHELL: Final = frozenset(_BUILT_IN.split())

_LOOK: Final = 'command -v -- "$1" || { echo "$1 cannot be found" >&2; exit 127; }'
_EVENT_BYTES: Final = 8 * 1024
_DETAIL_CHARACTERS: Final = 2000


def build(given: AgentOptions) -> Agent:
    return CommandAgent(given.command, env=given.env, root=given.root, sandbox=given.sandbox)


class CommandAgent(ProcessAgent):
    """Runs a command of the user: a list of words, or a text for the shell.

    `env` is its base environment. HOME stays the user's, because its logins are there, unless `private_home` gives
    every attempt its own. A relative path starts in the attempt's workspace, which is made from a commit of the
    repository; before a workspace exists, the program is looked up in the repository's `root`.
    """

    def __init__(
        self,
        command: str | tuple[str, ...],
        *,
        env: Mapping[str, str],
        private_home: bool = False,
        root: Path | None = None,
        sandbox: Sandbox = OPEN,
    ) -> None:
        driver = _Command(command, env=env, private_home=private_home)
        super().__init__(driver, sandbox)
        self._program = driver.program()
        self._root = root

    async def probe(self) -> str:
        if self._root is None or "/" not in self._program or self._program.startswith(("/", "~", "$")):
            return await super().probe()
        return _found(self._program, self._root)


def _found(program: str, root: Path) -> str:
    path = root / program
    if not path.is_file():
        raise AgentMissingError(
            f"the repository has no {program}, which the settings name as the agent's command",
            hint=f"a relative path begins at {root}: put the program there and commit it, or name it in full",
        )
    if not os.access(path, os.X_OK):
        raise AgentMissingError(
            f"{program}, which the settings name as the agent's command, is not executable",
            hint=f"chmod +x {shlex.quote(str(path))}, and commit it",
        )
    return str(path)


class _Command:
    def __init__(self, command: str | tuple[str, ...], *, env: Mapping[str, str], private_home: bool) -> None:
        self.stop_signals: tuple[tuple[signal.Signals, float], ...] = ((signal.SIGTERM, 5.0),)
        self._command = command
        self._env = dict(env)
        self._private_home = private_home

    def launch(self, task: AgentTask) -> Launch:
        own = {"TMPDIR": str(task.home / "tmp"), "PWD": str(task.workdir)}
        if self._private_home:
            own["HOME"] = str(task.home)
        return Launch(
            argv=("/bin/sh", "-c", self._text(self._command))
            if isinstance(self._command, str)
            else (self._from_path(self._command[0]), *self._command[1:]),
            env=self._env | own | task.env,
            stdin=task.prompt.encode(errors="replace"),
            home_files=HomeFiles(reads=tuple(map(Path, named_files(self._words())))),
        )

    def transcript(self, _: AgentTask) -> Transcript:
        return _Printed()

    def version_argv(self) -> tuple[str, ...]:
        """A command has no version, so its path is printed instead."""
        return ("/bin/sh", "-c", _LOOK, "sh", self.program())

    def install_hint(self) -> str:
        return f"check that the command in the settings can be found and run: {self.program()}"

    def login_argv(self) -> tuple[str, ...]:
        return ()

    def login(self, _: str) -> str:
        """A command has no login to check."""
        return ""

    def program(self) -> str:
        if not isinstance(self._command, str):
            return self._command[0]
        return next((word for word in self._words() if "=" not in word), "")

    def _text(self, command: str) -> str:
        """Returns the text for the shell. A program named without a folder at its start is replaced by its path in the
        user's PATH, so that no program in a workspace is run instead.
        """
        begins = _BARE.match(command)
        if not begins or begins[1] in _OF_THE_SHELL:
            return command
        return command[: begins.start(1)] + shlex.quote(self._from_path(begins[1])) + command[begins.end(1) :]

    def _from_path(self, program: str) -> str:
        try:
            return from_path(program, self._env)
        except FileNotFoundError as error:
            raise AgentMissingError(f"{program} cannot be found", hint=self.install_hint()) from error

    def _words(self) -> Sequence[str]:
        if not isinstance(self._command, str):
            return self._command
        try:
            return shlex.split(self._command)
        except ValueError:  # an unbalanced quote, which the shell may still accept
            return self._command.split()


class _Printed:
    """The end of the output is the answer."""

    def __init__(self) -> None:
        self._printed = Tail(ANSWER_BYTES)

    def feed(self, line: bytes) -> Iterable[AgentEvent]:
        self._printed.feed(line + b"\n")
        yield AgentEvent(kind=EventKind.TEXT, text=line[:_EVENT_BYTES].decode(errors="replace"))

    def verdict(self, exit_code: int, stderr: str) -> AgentReport:
        answer = self._printed.text().removesuffix("\n")
        if exit_code == 0:
            return AgentReport(ending=Ending.FINISHED, answer=answer)
        detail = f"ended {manner(exit_code)}\n{stderr[-_DETAIL_CHARACTERS:]}".strip()
        guessed = exit_code != TRY_LATER and _LIMIT.search("\n".join(stderr.splitlines()[-_LAST_LINES:])) is not None
        ending = Ending.RATE_LIMITED if exit_code == TRY_LATER or guessed else Ending.CRASHED
        return AgentReport(ending=ending, answer=answer, detail=detail, guessed=guessed)
