"""Runs git: as the harness, with only its own configuration, or as the user in the user's own repository.

Git never searches for its repository, work tree and programs itself: `.git` is a file or folder from an unknown source,
and git may work in an agent's folder.
"""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from shlex import join
from typing import Final

from shiftwork import umask
from shiftwork.adapters.processes.host.own_children import birth
from shiftwork.adapters.workspace.git.drivers import Pair
from shiftwork.adapters.workspace.git.subprocess_call import Call
from shiftwork.adapters.workspace.tree.untrusted_files import remove_pipes, write_whole
from shiftwork.errors import GitKilledError, PassingGitError, RepositoryError
from shiftwork.records import dataclass, replace
from shiftwork.search_paths import tool, without_folders

OLDEST_GIT: Final = "2.39"
"""The first version with `merge-tree --stdin`, which forecasts conflicts."""

MARK: Final = "SHIFTWORK_GIT"
"""Every git of ours has the state folder in this variable, so that a process that outlived its parent is found."""

SECONDS: Final = 120.0
_LOOKS: Final = (3.0, 3.0, 20.0)
"""Pauses in seconds between searches of a tree for pipes that git may wait for."""
_SIGNALLED: Final = frozenset({128 + signal.SIGKILL, 128 + signal.SIGTERM})
"""Exit codes of a shell whose git was killed."""
_ERROR_CHARACTERS: Final = 2000
_NAME_CHARACTERS: Final = 200
_SHELL: Final = "/bin/sh"
NEUTRAL: Final = "/"
"""Every git starts in this folder and changes from there: a program may load files from the folder it starts in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The author and committer of commits."""

    name: str
    email: str

    def plain(self) -> "Identity":
        """Shortened and without control characters: settings of a repository may contain anything."""
        return Identity(name=_plain(self.name), email=_plain(self.email))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of a git process."""

    code: int
    out: bytes = b""
    err: str = ""

    @property
    def text(self) -> str:
        return os.fsdecode(self.out).strip()

    @property
    def parts(self) -> tuple[str, ...]:
        """Output of commands with `-z`."""
        return tuple(os.fsdecode(part) for part in self.out.split(b"\0") if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """How to run git: its whole environment, and the folder it changes to. `program` is an absolute path. Files in
    `sealed` are restored to this content before every start. Programs named in a repository's own settings only run if
    they are in `agreed`, with exactly these arguments. Agents can write to `tree`: git does not wait for a pipe there.
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
        """The same with one more setting, which overrides earlier settings."""
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
        """Runs git to its end; raises RepositoryError for an unaccepted exit code or a timeout.

        An integer for `stdin` or `stdout` is a file descriptor, as for `subprocess`.
        """
        content, source = (b"", stdin) if isinstance(stdin, int) else (stdin, _pipe_for(stdin))
        call = Call(self._started((*self._git, *args), source, stdout), content)
        return await self._answered(call, args[0], accept)

    async def run_both(self, first: Iterable[str], last: Iterable[str], *, accept: tuple[int, ...] = (0,)) -> Answer:
        """Runs the first command, and if it succeeds the last; both in one shell, because starting a program costs this
        process more than the program itself takes.
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
            text = f"git {name} failed: {answer.err[-_ERROR_CHARACTERS:] or f'exit {answer.code}'}"
            raise PassingGitError(text) if is_passing(answer.err) else RepositoryError(text)
        return answer

    def _started(self, command: tuple[str, ...], stdin: int, stdout: int) -> subprocess.Popen[bytes]:
        """In its own session, so that an interrupt at the terminal does not stop git halfway."""
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
        """Starts git for a dialogue, also in its own session."""
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


_PASSING: Final = (
    r"Unable to create '[^\n]*\.lock': File exists",
    r"could not lock config file [^\n]*: File exists",
    # A gc removes empty folders of objects, and objects that nothing refers to yet.
    r"unable to (?:write file|create temporary file|create directory)[^\n]*: No such file or directory",
    r"trying to write ref [^\n]* with nonexistent object",
)
"""What git prints if it fails for a reason that passes. A full disk, missing rights and missing memory do not pass."""


def is_passing(printed: str) -> bool:
    """Whether git failed because of a lock, or of a gc at the same time."""
    return any(re.search(pattern, printed) for pattern in _PASSING)


async def _unblock(tree: Path) -> None:
    """Searches for pipes when git takes long; not earlier, because a tree may have many files."""
    for seconds in _LOOKS:
        await asyncio.sleep(seconds)
        with contextlib.suppress(OSError):
            await asyncio.to_thread(remove_pipes, tree)


def _missing(what: str) -> RepositoryError:
    return RepositoryError(f"git cannot be run: there is no {what}", hint=f"install git {OLDEST_GIT} or newer")


def _plain(text: str) -> str:
    return "".join(character for character in text if character.isprintable())[:_NAME_CHARACTERS]


def _pipe_for(content: bytes) -> int:
    return asyncio.subprocess.PIPE if content else asyncio.subprocess.DEVNULL


async def end(process: asyncio.subprocess.Process) -> None:
    """Kills a running git with its children, and waits for it; does nothing if it has ended."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()


def without_git(env: Mapping[str, str]) -> dict[str, str]:
    """The environment without git's variables."""
    return {name: value for name, value in env.items() if not name.startswith("GIT_")}


def harness_git(
    *, hub: Path, identity: Identity, env: Mapping[str, str], settings: Mapping[str, str], trees: tuple[Path, ...]
) -> Git:
    """Git on the hub, only with these settings; from `env` it gets what programs need to run. `trees` are the folders
    that agents may write to: no program is searched there.

    Settings are passed with every call and not in a file, because an unconfined agent could write programs into a file.
    The only file that git requires is the hub's own, see `Hub`.
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
            # Some code writes the refs of the hub as files, see `hub.pin`.
            "GIT_DEFAULT_REF_FORMAT": "files",
        },
    )


PROGRAM: Final = "git"

PINNED: Final = {
    "LC_ALL": "C",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    # We never fetch. Missing objects must not be fetched either, by a program that settings name.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": ":",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
}
"""For every git: no replaced objects, no prompts, no fetching."""


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
    """A value in the syntax of git configuration files."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
