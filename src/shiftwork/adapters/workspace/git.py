"""Runs git: as the harness, deaf to all configuration but its own, or as the user in the user's own repository."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from shiftwork import umask
from shiftwork.adapters.processes.own import birth
from shiftwork.adapters.workspace.calling import Call
from shiftwork.adapters.workspace.files import write_whole
from shiftwork.errors import GitKilledError, RepositoryError

MARK: Final = "SHIFTWORK_GIT"
"""Set in the environment of every git of ours to the state folder, so that one that outlived its parent is found."""

_SECONDS: Final = 120.0
_SIGNALLED: Final = frozenset({128 + signal.SIGKILL, 128 + signal.SIGTERM})
"""How a shell tells that a git in it was killed."""
_ERROR_CHARACTERS: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who is named in commits."""

    name: str
    email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a git process said."""

    code: int
    out: bytes = b""
    err: str = ""

    @property
    def text(self) -> str:
        return os.fsdecode(self.out).strip()

    @property
    def parts(self) -> tuple[str, ...]:
        """Output that was asked for with `-z`."""
        return tuple(os.fsdecode(part) for part in self.out.split(b"\0") if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """A way of running git: its whole environment, and where it runs. Files that are `sealed` are as they are told here
    whenever one is started.
    """

    env: Mapping[str, str]
    cwd: Path
    options: tuple[str, ...] = ()
    program: str = "git"
    seconds: float = _SECONDS
    sealed: tuple[tuple[Path, bytes], ...] = ()

    def at(self, cwd: Path, **env: str) -> "Git":
        return replace(self, cwd=cwd, env={**self.env, **env})

    async def run(
        self,
        *args: str,
        stdin: bytes | int = b"",
        stdout: int = asyncio.subprocess.PIPE,
        accept: tuple[int, ...] = (0,),
    ) -> Answer:
        """Run to the end; an exit code that is not accepted, or no end in time, raises RepositoryError.

        An integer for `stdin` or `stdout` is a file descriptor, as for `subprocess`.
        """
        content, source = (b"", stdin) if isinstance(stdin, int) else (stdin, _pipe_for(stdin))
        call = Call(self._started(args, source, stdout), content)
        try:
            async with asyncio.timeout(self.seconds):
                code = await call.over()
        except TimeoutError:
            raise RepositoryError(f"git {args[0]} did not end within {self.seconds:g} seconds") from None
        finally:
            await call.end()
        answer = Answer(code=code, out=bytes(call.out), err=call.err.decode(errors="replace").strip())
        if answer.code < 0 or answer.code in _SIGNALLED:
            raise GitKilledError(f"git {args[0]} was killed")
        if answer.code not in accept:
            raise RepositoryError(f"git {args[0]} failed: {answer.err[-_ERROR_CHARACTERS:] or f'exit {answer.code}'}")
        return answer

    def _started(self, args: tuple[str, ...], stdin: int, stdout: int) -> subprocess.Popen[bytes]:
        """In a session of its own: an interrupt at the terminal must not cut git off in the middle."""
        self._mend()
        try:
            with birth() as remember:
                process = subprocess.Popen(  # noqa: S603 - the arguments are ours
                    (self.program, *self.options, *args),
                    cwd=self.cwd,
                    env=self.env,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    start_new_session=True,
                    umask=umask.users(),
                )
                remember(process)
                return process
        except FileNotFoundError as error:
            raise self._missing(error) from None

    async def start(self, *args: str, stdin: int, stdout: int) -> asyncio.subprocess.Process:
        """Start it to talk to it, in a session of its own too."""
        self._mend()
        try:
            with birth() as remember:
                process = await asyncio.create_subprocess_exec(
                    self.program,
                    *self.options,
                    *args,
                    cwd=self.cwd,
                    env=dict(self.env),
                    stdin=stdin,
                    stdout=stdout,
                    stderr=asyncio.subprocess.PIPE,
                    start_new_session=True,
                    umask=umask.users(),
                )
                remember(process)
                return process
        except FileNotFoundError as error:
            raise self._missing(error) from None

    def _mend(self) -> None:
        for path, content in self.sealed:
            if not path.is_file() or path.read_bytes() != content:
                write_whole(path, content)

    def _missing(self, error: FileNotFoundError) -> RepositoryError:
        missing = self.program if error.filename == self.program else str(self.cwd)
        return RepositoryError(f"git cannot be run: there is no {missing}", hint="install git 2.38 or newer")


def _pipe_for(content: bytes) -> int:
    return asyncio.subprocess.PIPE if content else asyncio.subprocess.DEVNULL


async def end(process: asyncio.subprocess.Process) -> None:
    """Kill a git that still runs, with its own children, and wait for it; nothing happens to one that has ended."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()


def without_git(env: Mapping[str, str]) -> dict[str, str]:
    """The environment without anything that tells git where to look or what to believe."""
    return {name: value for name, value in env.items() if not name.startswith("GIT_")}


def harness_git(*, hub: Path, identity: Identity, env: Mapping[str, str], settings: Mapping[str, str]) -> Git:
    """Git on the hub, with these settings alone; of `env` it gets what programs need to run.

    It is told them with every call, and there is no file of them: an agent that is not confined could write there
    which program is to run. The one file that git insists on is the hub's own, see `Hub`.
    """
    kept = {name: env[name] for name in ("PATH", "TMPDIR", "LD_LIBRARY_PATH") if name in env}
    return Git(
        cwd=hub,
        env={
            **kept,
            **named(identity),
            **_told(settings),
            "HOME": str(hub.parent / "git"),
            "LC_ALL": "C",
            MARK: str(hub.parent),
            "GIT_DIR": str(hub),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            # The refs of the hub are written as files here and there, see `hub.pin`.
            "GIT_DEFAULT_REF_FORMAT": "files",
        },
    )


def _told(settings: Mapping[str, str]) -> dict[str, str]:
    numbered = enumerate(settings.items())
    pairs = {f"GIT_CONFIG_{part}_{i}": word for i, pair in numbered for part, word in zip(_PAIR, pair, strict=True)}
    return {"GIT_CONFIG_COUNT": str(len(settings)), **pairs}


_PAIR: Final = ("KEY", "VALUE")
_REDIRECTIONS: Final = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NAMESPACE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_TRACE",
        "GIT_WORK_TREE",
    }
)


def user_git(*, root: Path, state: Path, env: Mapping[str, str]) -> Git:
    """Git as the user would run it in their repository, with their configuration; but none of their hooks, and no gc.

    Their filters (LFS among them) must work where their checkout is moved. A hook must not: it may ask a question,
    move a branch, or take minutes. Nor must a file-system monitor: it is one more program that whoever can write to
    their settings would have us run, and at best it leaves a daemon behind.
    """
    kept = {name: value for name, value in env.items() if name not in _REDIRECTIONS}
    return Git(
        cwd=root,
        seconds=5 * _SECONDS,
        env={**kept, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", MARK: str(state)},
        options=(
            *("-c", "core.hooksPath=/dev/null"),
            *("-c", "core.fsmonitor=false"),
            *("-c", "gc.auto=0"),
            *("-c", "maintenance.auto=false"),
            *("-c", "submodule.recurse=false"),
        ),
    )


def named(identity: Identity) -> dict[str, str]:
    return {
        "GIT_AUTHOR_NAME": identity.name,
        "GIT_AUTHOR_EMAIL": identity.email,
        "GIT_COMMITTER_NAME": identity.name,
        "GIT_COMMITTER_EMAIL": identity.email,
    }


def quoted(value: str) -> str:
    """A value as a git configuration file spells it."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
