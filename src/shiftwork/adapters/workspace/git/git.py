"""Runs git: as the harness, deaf to all configuration but its own, or as the user in the user's own repository.

Where git finds its repository, its work tree and its programs is never left to it: `.git` is a file or folder that
anybody may have packed, and the folder that git works in may be an agent's.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import join
from typing import Final

from shiftwork import umask
from shiftwork.adapters.processes.host.own_children import birth
from shiftwork.adapters.workspace.git.drivers import Pair
from shiftwork.adapters.workspace.git.subprocess_call import Call
from shiftwork.adapters.workspace.tree.untrusted_files import remove_pipes, write_whole
from shiftwork.errors import GitKilledError, RepositoryError
from shiftwork.search_paths import tool, without_folders

MARK: Final = "SHIFTWORK_GIT"
"""Set in the environment of every git of ours to the state folder, so that one that outlived its parent is found."""

SECONDS: Final = 120.0
_LOOKS: Final = (3.0, 3.0, 20.0)
"""After how many seconds each a tree is searched for pipes that git may wait for."""
_SIGNALLED: Final = frozenset({128 + signal.SIGKILL, 128 + signal.SIGTERM})
"""How a shell tells that a git in it was killed."""
_ERROR_CHARACTERS: Final = 2000
_NAME_CHARACTERS: Final = 200
_SHELL: Final = "/bin/sh"
NEUTRAL: Final = "/"
"""Where every git is started, and goes on from there: a program may load what lies in the folder that it starts in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who is named in commits."""

    name: str
    email: str

    def plain(self) -> "Identity":
        """Short, and without control characters: settings of a repository may say anything."""
        return Identity(name=_plain(self.name), email=_plain(self.email))


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
    """A way of running git: its whole environment, and the folder that it goes to. `program` is an absolute path. Files
    that are `sealed` are as they are told here whenever one is started. Programs that a repository's own settings name
    run where they are `agreed` to, with the very words. Agents can write to `tree`: a pipe there is not waited for.
    """

    env: Mapping[str, str]
    cwd: Path
    options: tuple[str, ...] = ()
    program: str = "git"
    seconds: float = SECONDS
    sealed: tuple[tuple[Path, bytes], ...] = ()
    agreed: frozenset[Pair] = frozenset()
    tree: Path | None = None

    def at(self, cwd: Path, **env: str) -> "Git":
        return replace(self, cwd=cwd, env={**self.env, **env})

    def setting(self, key: str, value: str) -> "Git":
        """The same with one more setting, which counts more than those before it."""
        count = int(self.env.get("GIT_CONFIG_COUNT", "0"))
        more = {f"GIT_CONFIG_KEY_{count}": key, f"GIT_CONFIG_VALUE_{count}": value}
        return replace(self, env={**self.env, **more, "GIT_CONFIG_COUNT": str(count + 1)})

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
        call = Call(self._started((*self._git, *args), source, stdout), content)
        return await self._answered(call, args[0], accept)

    async def run_both(self, first: Iterable[str], last: Iterable[str], *, accept: tuple[int, ...] = (0,)) -> Answer:
        """The one, and if it succeeds the other; both by one shell, because starting a program costs this process more
        than the program takes.
        """
        words = [join((*self._git, *command)) for command in (first, last)]
        command = (_SHELL, "-c", f"{words[0]} && exec {words[1]}")
        call = Call(self._started(command, asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE), b"")
        return await self._answered(call, next(iter(last)), accept)

    @property
    def _git(self) -> tuple[str, ...]:
        return (self.program, "-C", str(self.cwd), *self.options)

    async def _answered(self, call: Call, name: str, accept: tuple[int, ...]) -> Answer:
        unblocking = asyncio.create_task(_unblock(self.tree)) if self.tree else None
        try:
            async with asyncio.timeout(self.seconds):
                code = await call.over()
        except TimeoutError:
            raise RepositoryError(f"git {name} did not end within {self.seconds:g} seconds") from None
        finally:
            if unblocking:
                unblocking.cancel()
            await call.end()
        answer = Answer(code=code, out=bytes(call.out), err=call.err.decode(errors="replace").strip())
        if answer.code < 0 or answer.code in _SIGNALLED:
            raise GitKilledError(f"git {name} was killed")
        if answer.code not in accept:
            raise RepositoryError(f"git {name} failed: {answer.err[-_ERROR_CHARACTERS:] or f'exit {answer.code}'}")
        return answer

    def _started(self, command: tuple[str, ...], stdin: int, stdout: int) -> subprocess.Popen[bytes]:
        """In a session of its own: an interrupt at the terminal must not cut git off in the middle."""
        self._make_ready()
        try:
            with birth() as remember:
                process = subprocess.Popen(  # noqa: S603 - the arguments are ours
                    command,
                    cwd=NEUTRAL,
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
        except FileNotFoundError:
            raise _missing(self.program) from None

    async def start(self, *args: str, stdin: int, stdout: int) -> asyncio.subprocess.Process:
        """Start it to talk to it, in a session of its own too."""
        self._make_ready()
        try:
            with birth() as remember:
                process = await asyncio.create_subprocess_exec(
                    *self._git,
                    *args,
                    cwd=NEUTRAL,
                    env=dict(self.env),
                    stdin=stdin,
                    stdout=stdout,
                    stderr=asyncio.subprocess.PIPE,
                    start_new_session=True,
                    umask=umask.users(),
                )
                remember(process)
                return process
        except FileNotFoundError:
            raise _missing(self.program) from None

    def _make_ready(self) -> None:
        if not self.cwd.is_dir():
            raise _missing(str(self.cwd))
        for path, content in self.sealed:
            if not path.is_file() or path.read_bytes() != content:
                write_whole(path, content)


async def _unblock(tree: Path) -> None:
    """Look for pipes where git takes long; not before, for a tree may have many files."""
    for seconds in _LOOKS:
        await asyncio.sleep(seconds)
        with contextlib.suppress(OSError):
            await asyncio.to_thread(remove_pipes, tree)


def _missing(what: str) -> RepositoryError:
    return RepositoryError(f"git cannot be run: there is no {what}", hint="install git 2.38 or newer")


def _plain(text: str) -> str:
    return "".join(character for character in text if character.isprintable())[:_NAME_CHARACTERS]


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


def harness_git(
    *, hub: Path, identity: Identity, env: Mapping[str, str], settings: Mapping[str, str], trees: tuple[Path, ...]
) -> Git:
    """Git on the hub, with these settings alone; of `env` it gets what programs need to run. `trees` are the folders
    that agents may write to: no program is looked for there.

    It is told them with every call, and there is no file of them: an agent that is not confined could write there
    which program is to run. The one file that git insists on is the hub's own, see `Hub`.
    """
    kept = {name: env[name] for name in ("PATH", "TMPDIR", "LD_LIBRARY_PATH") if name in env}
    return Git(
        cwd=hub,
        program=tool(PROGRAM, env, trees) or PROGRAM,
        env={
            **without_folders(kept, trees),
            **named(identity),
            **settings_variables(settings),
            **PINNED,
            "HOME": str(hub.parent / "git"),
            MARK: str(hub.parent),
            "GIT_DIR": str(hub),
            "GIT_COMMON_DIR": str(hub),
            "GIT_OBJECT_DIRECTORY": str(hub / "objects"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            # The refs of the hub are written as files here and there, see `hub.pin`.
            "GIT_DEFAULT_REF_FORMAT": "files",
        },
    )


PROGRAM: Final = "git"

PINNED: Final = {
    "LC_ALL": "C",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    # Nothing of ours fetches. An object that is missing must not be fetched either, by a program that settings name.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": ":",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
}
"""For every git: commits are what their objects say, nobody is asked, and nothing is fetched."""


def settings_variables(settings: Mapping[str, str]) -> dict[str, str]:
    numbered = enumerate(settings.items())
    pairs = {f"GIT_CONFIG_{part}_{i}": word for i, pair in numbered for part, word in zip(_PAIR, pair, strict=True)}
    return {"GIT_CONFIG_COUNT": str(len(settings)), **pairs}


_PAIR: Final = ("KEY", "VALUE")


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
