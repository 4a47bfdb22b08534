"""Runs the project's own commands (setup, gates) in the shell, keeping the beginning and end of their output."""

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO, Final

from shiftwork.adapters.processes.supervisor.output_lines import LINE_BYTES
from shiftwork.adapters.processes.supervisor.supervise import Cause, Spawn, supervise
from shiftwork.adapters.sandbox.sandbox import OPEN, Room, Sandbox
from shiftwork.adapters.workspace.git.git import without_git
from shiftwork.records import dataclass, field
from shiftwork.redaction import Lined

HEAD_BYTES: Final = 2 * 1024
TAIL_BYTES: Final = 14 * 1024
_PRINTED_BYTES: Final = 256 * 1024 * 1024
LOG_BYTES: Final = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a command ended; `output` is bounded, and ends with the reason if the command was stopped. `exposed` says why
    programs that the command started could reach its other processes; empty if the sandbox prevents that. The
    `exit_code` is None if something else ended it.
    """

    passed: bool
    seconds: float
    output: str
    exposed: str = ""
    exit_code: int | None = None


class Ends:
    """The beginning and the end of a text that may be long."""

    def __init__(self, head: int = HEAD_BYTES, tail: int = TAIL_BYTES) -> None:
        self._limits = (head, tail)
        self._head, self._tail = bytearray(), bytearray()
        self._left_out = 0

    def add(self, line: bytes) -> None:
        head, tail = self._limits
        rest = line + b"\n"
        if not self._tail:
            room = head - len(self._head)
            self._head += rest[:room]
            rest = rest[room:]
        self._tail += rest
        if len(self._tail) > 2 * tail:
            self._cut(tail)

    def text(self) -> str:
        self._cut(self._limits[1])
        between = f"\n… {self._left_out} bytes left out …\n".encode() if self._left_out else b""
        return bytes(self._head + between + self._tail).decode(errors="replace").rstrip("\n")

    def _cut(self, tail: int) -> None:
        excess = len(self._tail) - tail
        if excess > 0:
            del self._tail[:excess]
            self._left_out += excess


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandContext:
    """Context of commands: `marker` identifies their processes, `env` are their own variables, and `files` are lent to
    them in a sandbox; for these, `attaches` and `has_namespaces` see `Room`. `on_output` gets every printed line, and
    the file `log` all of them, while the stored output is bounded.
    """

    marker: str
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[Path, str] = field(default_factory=dict)
    attaches: bool = False
    has_namespaces: bool = False
    on_output: Callable[[bytes], None] | None = None
    log: Path | None = None


class OutputLog:
    """Writes lines to a file, up to a limit. What a command does never depends on the log: a file that cannot be
    written is removed.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._room = LOG_BYTES

    def add(self, line: bytes) -> None:
        if self._path is None or self._room <= 0:
            return
        try:
            if self._file is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self._path.open("wb")
            self._room -= len(line) + 1
            self._file.write(line + b"\n" if self._room > 0 else b"[... the rest is left out ...]\n")
        except OSError:
            self._give_up(self._path)

    def close(self) -> None:
        if self._file is not None and self._path is not None:
            try:
                self._file.close()
            except OSError:
                self._give_up(self._path)

    def _give_up(self, path: Path) -> None:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        self._path = self._file = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """`env` is the whole environment of commands, apart from markers and the context's own variables."""

    env: Mapping[str, str]
    sandbox: Sandbox = OPEN

    async def run(self, command: str, context: CommandContext, *, tree: Path, seconds: float) -> Outcome:
        """Runs the command at the root of the tree; none of its processes is alive afterwards."""
        printed = Ends()
        spawn = Spawn(
            # One stream for both, so that errors are next to the output that they belong to.
            argv=("/bin/sh", "-c", f"exec 2>&1\n{command}"),
            cwd=tree,
            # Without a ceiling, git in a tree that lost its `.git` would find the user's repository further up.
            env={**without_git(self.env), **context.env, "CI": "1", "GIT_CEILING_DIRECTORIES": str(tree.parent)},
            marker=context.marker,
            wall_seconds=seconds,
            silence_seconds=seconds,
            output_bytes=_PRINTED_BYTES,
        )
        room = Room(
            tree=tree,
            files=context.files,
            command=command,
            attaches=context.attaches,
            has_namespaces=context.has_namespaces,
        )

        clean, log = Lined(LINE_BYTES), OutputLog(context.log)

        def on_line(said: bytes) -> None:
            line = clean.line(said)
            printed.add(line)
            log.add(line)
            if context.on_output:
                context.on_output(line)

        enclosed = self.sandbox.enclosed(spawn, room)
        try:
            ended = await supervise(enclosed, on_line)
            reason = ended.exceeded or _REASONS.get(ended.cause, "").format(seconds=seconds)
            said = tuple(part for part in (ended.stderr.strip(), *ended.remarks, reason) if part)
            for part in said:
                log.add(part.encode(errors="replace"))
        finally:
            log.close()
        output = "\n".join(part for part in (printed.text(), *said) if part)
        passed = ended.cause is Cause.EXITED and ended.code == 0
        shown = output if output or passed else f"it printed nothing, and ended with exit code {ended.code}"
        code = ended.code if ended.cause is Cause.EXITED else None
        return Outcome(passed=passed, seconds=ended.seconds, output=shown, exposed=_exposed(enclosed), exit_code=code)


def _exposed(spawn: Spawn) -> str:
    if not spawn.enclosed:
        return "no sandbox"
    return "" if spawn.seccomp else "no filter of system calls for this machine"


_REASONS: Final[Mapping[Cause, str]] = {
    Cause.TIMED_OUT: "timed out after {seconds:g} seconds",
    Cause.SILENT: "timed out after {seconds:g} seconds",
    Cause.FLOODED: "ended because it printed too much",
}
