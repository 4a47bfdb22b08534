"""Programs named in a repository's own settings (`.git/config`): none of them runs unless the user has agreed.

A clone creates its own settings, but a copied or unpacked folder brings those of another author. The user's global
settings and the system's keep working, for example git-lfs. The files are read one by one, without includes, because
git would wait for a pipe that is named there.
"""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from shiftwork.bounded import read_bytes
from shiftwork.errors import UnfitRepositoryError
from shiftwork.git_folders import Whereabouts
from shiftwork.regexes import regex

type Pair = tuple[str, str]
"""A setting as git lists it, and its value."""

_LARGEST: Final = 1 << 20
_MOST_FILES: Final = 20
_MOST: Final = 500
_LONGEST: Final = 1000
"""Characters of a name. Git gets these names with every call, and a kernel accepts at most 128 KiB at once."""
_SECONDS: Final = 30.0

_INCLUDES: Final = regex(r"include\.path|includeif\..*\.path", re.DOTALL)
_EXPANDED: Final = regex(r"~[^/]|%\(|:\(")
"""Beginnings of paths that git expands: the home of a named user, the folder where git is installed."""
_PROGRAMS: Final = regex(
    r"filter\..*\.(clean|smudge|process|required)|hook\..*|core\.(attributesfile|excludesfile)|checkout\.workers"
    r"|lfs\.extension\..*\.(clean|smudge)|lfs\.customtransfer\..*\.(path|args)|lfs\.(.*\.)?standalonetransferagent"
    r"|core\.(sshcommand|askpass|gitproxy)|credential\.(.*\.)?helper",
    re.DOTALL,
)
"""Settings that make git commands in the user's repository run a program, read another file or start many processes,
also through a filter of the user: git-lfs has its own extensions and transfers, and asks git for credentials. Other
settings that name programs have no effect there, because these commands do not fetch, sign, merge or show anything.
"""

_FILTER: Final = regex(r"filter\.(.*)\.(clean|smudge|process|required)", re.DOTALL)
_HOOK: Final = regex(r"hook\.(.*)\.[a-z]+", re.DOTALL)
_NEVER: Final = regex(r"hook\..*|core\.(sshcommand|askpass|gitproxy)|credential\.(.*\.)?helper", re.DOTALL)
_QUIET: Final = {
    "core.attributesfile": os.devnull,
    "core.excludesfile": os.devnull,
    "checkout.workers": "1",
}


class Runner(NamedTuple):
    """The git program and its environment."""

    program: str
    env: Mapping[str, str]


def named_programs(place: Whereabouts, git: Runner) -> tuple[Pair, ...]:
    """All such settings of the repository's own files, whatever their conditions. Raises UnfitRepositoryError if git
    would wait for one of these files, or if there are more settings than git accepts.
    """
    found: dict[Pair, None] = {}
    waiting = [place.shared / "config", place.own / "config.worktree"]
    for number, file in enumerate(waiting):
        if number > _MOST_FILES:
            raise _refused(place.shared / "config", f"includes more than {_MOST_FILES} files")
        for key, value in _settings(file, git):
            if _INCLUDES.fullmatch(key):
                waiting.append(_included(value, file, git.env))
            elif _PROGRAMS.fullmatch(key):
                found[_bounded(file, key), value] = None
    if len(found) > _MOST:
        raise _refused(place.shared / "config", f"has more than {_MOST} settings that name programs")
    return tuple(found)


def is_agreeable(pair: Pair) -> bool:
    """Whether the user can agree to it. Hooks never run, nor do programs for fetching."""
    return not _NEVER.fullmatch(pair[0])


def quietened(named: Iterable[Pair], own: Mapping[str, str]) -> dict[str, str]:
    """Settings that disable these: the user's `own` value, else an empty value."""
    quiet: dict[str, str] = {}
    for key, _ in named:
        if filtering := _FILTER.fullmatch(key):
            quiet[key] = own.get(key, "false" if filtering[2] == "required" else "")
            required = f"filter.{filtering[1]}.required"
            quiet.setdefault(required, own.get(required, "false"))
        elif hook := _HOOK.fullmatch(key):
            quiet[f"hook.{hook[1]}.enabled"] = "false"
        elif key.startswith("credential."):
            quiet[key] = ""  # empties the whole list: a value of the user would only be added to it
        else:
            quiet[key] = own.get(key, _QUIET.get(key, ""))
    return quiet


def filters(named: Iterable[Pair]) -> frozenset[str]:
    """The names of those filters that would run a program."""
    found = (_FILTER.fullmatch(key) for key, value in named if value)
    return frozenset(match[1] for match in found if match and match[2] != "required")


def own_settings(place: Whereabouts, git: Runner) -> dict[str, str]:
    """The user's global settings and the system's; of repeated settings the last counts."""
    listed = _run(git, "config", "--list", "--show-scope", "-z", **_placed(place))
    parts = [os.fsdecode(part) for part in listed.split(b"\0")]
    scoped = zip(parts[::2], parts[1::2], strict=False)
    pairs = (text.partition("\n")[::2] for scope, text in scoped if scope in {"system", "global"})
    return dict(pairs)


def _placed(place: Whereabouts) -> dict[str, str]:
    return {"GIT_DIR": str(place.own), "GIT_COMMON_DIR": str(place.shared)}


def _settings(file: Path, git: Runner) -> Iterator[Pair]:
    try:
        found = os.stat(file)  # noqa: PTH116 - a plain tuple can be a key
        read_bytes(file, _LARGEST)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise _refused(file, f"cannot be read: {error}") from None
    version = (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    for part in _listed(git.program, str(file), version).split(b"\0"):
        key, _, value = os.fsdecode(part).partition("\n")
        if key:
            yield key, value


@lru_cache(maxsize=64)
def _listed(program: str, file: str, version: tuple[int, ...]) -> bytes:
    del version  # only part of the cache key
    env = {"LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    return _run(Runner(program, env), "config", "--file", file, "--no-includes", "--list", "-z")


def _run(git: Runner, *words: str, **more: str) -> bytes:
    command = (git.program, *words)
    try:
        done = subprocess.run(  # noqa: S603 - fixed words
            command, cwd="/", env={**git.env, **more}, capture_output=True, timeout=_SECONDS, check=False
        )
    except FileNotFoundError:
        return b""  # the next git command reports it
    except subprocess.TimeoutExpired:
        raise UnfitRepositoryError("git config did not end", hint="git config --list") from None
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip()
        raise UnfitRepositoryError(f"the settings of the repository cannot be read: {reason}", hint="git config --edit")
    return done.stdout


def _included(value: str, file: Path, env: Mapping[str, str]) -> Path:
    """The file that git reads. The path is not simplified, because `..` after a link is relative to its target."""
    if _EXPANDED.match(value):
        raise _refused(file, f"includes {value[:60]!r}, which git would expand to another path")
    home = env.get("HOME", "/")
    return file.parent / (home + value[1:] if value.startswith("~/") else value)


def _bounded(file: Path, key: str) -> str:
    if len(key) > _LONGEST:
        raise _refused(file, f"has a name of {len(key)} letters: {key[:60]}…")
    return key


def _refused(file: Path, why: str) -> UnfitRepositoryError:
    return UnfitRepositoryError(f"{file} {why}", hint="correct it: git config --edit")
