"""Finds the folders outside the system that the programs of a PATH need: the sandbox shows them read-only.

A program rarely works alone: a Python has its library two folders away, a link leads to where a package manager keeps
the real file, a shim needs the versions that its manager has installed. Of the installation that a `bin` folder belongs
to, only the usual parts of installations are shown (`lib`, `share`, …), and nothing else beside them. Of folders that
contain more than programs (the user's home, `~/.local`, `~/.cargo` and similar, whatever the caller calls personal),
only `bin` and `lib` are shown.

A link in the repository may be a story's work. A link that leads out of it is followed only to a Python, because
virtual environments consist of such links.

Rejected: showing the home, or an installation, without known secrets. No list of secrets is complete.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from shiftwork.regexes import regex

SYSTEM: Final = tuple(
    Path(name)
    for name in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/gnu", "/snap")
)
"""Shown whole: what is installed for all users."""

_BIN: Final = frozenset({"bin", "sbin", "libexec"})
_SHIMS: Final = "shims"
_MODULES: Final = "node_modules"
_PARTS: Final = ("bin", "lib", "lib64", "libexec")
_INSTALLED: Final = (*_PARTS, "sbin", "lib32", "share", "include")
"""What installations have in common. An installation has, beside its `bin`, a part from above or a mark from below."""

_KINDS: Final[dict[str, tuple[str, ...]]] = {
    "pyvenv.cfg": ("src",),
    "conda-meta": ("etc", "ssl", "condabin", "pkgs", "shell", "x86_64-conda-linux-gnu", "aarch64-conda-linux-gnu"),
    "Cellar": ("opt", "etc"),
    "go.env": ("src", "api", "misc", "VERSION"),
    "pkg": (),
    "jmods": ("conf", "legal", "release"),
    "release": ("conf", "legal"),
    "boot": ("conf",),
    "init.d": (),
    "gems": ("specifications", "extensions", "build_info", "plugins"),
    "tools": (),
    "versions": ("version", "plugins", "pyenv.d", "rbenv.d", "nodenv.d"),
    "installs": ("plugins", "asdf.sh", "completions"),
    "toolchains": ("settings.toml",),
}
"""Other marks of an installation, and what it needs beside the mark. In this order: a virtual environment, conda,
Homebrew, Go, a folder of Go's packages, a JDK, a JDK without modules, Maven, Gradle, gems, Volta, pyenv and similar,
asdf and mise, rustup.
"""

_MIXED: Final = (".local", ".cargo", ".config", ".cache", "go", ".ssh")
"""Folders of a home that contain programs and much else."""

_LINKS: Final = 40
"""The kernel follows no more links than this."""

_PYTHON: Final = regex(r"(?:python|pypy|graalpy)[0-9.]*t?")
"""The names of interpreters."""

_COMPANIONS: Final = {
    ".cargo/bin": (".rustup/toolchains", ".rustup/settings.toml", ".cargo/registry", ".cargo/git"),
}
"""What programs of a folder need that no rule finds: a compiler's toolchains, and downloaded sources."""


def _prefixes(folders: Iterable[Path]) -> tuple[str, ...]:
    return tuple(f"{str(folder).rstrip('/')}/" for folder in folders)


_SYSTEM: Final = _prefixes((*SYSTEM, Path("/etc")))


def is_system(path: Path) -> bool:
    """Whether the sandbox shows it anyway. This includes /etc, through which links of system programs lead."""
    return _is_below(path, _SYSTEM)


def _is_below(path: Path, prefixes: tuple[str, ...]) -> bool:
    """As text: `is_relative_to` takes a hundred times as long, and systems have hundreds of links."""
    return f"{path}/".startswith(prefixes)


class Toolchain:
    """Finds the toolchain of one user; `personal` folders are never shown whole, nor are their parents."""

    def __init__(self, home: Path, personal: Sequence[Path] = ()) -> None:
        self._home = home
        self._repositories = _prefixes(place for path in personal for place in (path, _real(path)))
        hidden = [place for path in (home, *personal) for place in (path, _real(path))]
        self._hidden = _prefixes(hidden)
        mixed = [place / name for place in (home, _real(home)) for name in _MIXED]
        self._personal = frozenset((*mixed, *(folder for path in hidden for folder in (path, *path.parents))))

    def of_folders(self, folders: Iterable[Path]) -> tuple[Path, ...]:
        """Returns all that the programs of these folders need, outermost folders only."""
        waiting = [folder for folder in folders if folder.is_absolute()]
        found: dict[Path, None] = {}
        seen: set[Path] = set()
        for folder in waiting:
            place = _real(folder) if is_system(folder) else folder
            if place in seen or not folder.is_dir():
                continue
            seen.add(place)
            found.update(dict.fromkeys(self._installation(folder)))
            for link in filter(self._may_be_followed, _links(folder)):
                more, bin_folder = self._reached(link)
                found.update(dict.fromkeys(more))
                waiting.extend(bin_folder)
        return self._shown(found)

    def of_file(self, file: Path) -> tuple[Path, ...]:
        """Returns all that one program needs, wherever it is."""
        found: list[Path] = []
        if not self._may_be_followed(file):
            return ()
        for place in (file, *_ways(file)):
            if not self._is_there(place):
                shown, bin_folder = self._around(place)
                found += [*shown, *self.of_folders(bin_folder)]
        return self._shown(found)

    def _may_be_followed(self, link: Path) -> bool:
        """A link in the repository may be a story's work, so it shows no file of the user except a Python."""
        if not self._is_in_repository(link) or self._is_in_repository(end := _real(link)):
            return True
        named = _PYTHON.fullmatch(link.name) and _PYTHON.fullmatch(end.name) and end.parent.name == "bin"
        return bool(named) and any((end.parent.parent / "lib").glob("python3*" if "python" in end.name else "pypy*"))

    def _is_in_repository(self, path: Path) -> bool:
        return _is_below(path, self._repositories)

    def _shown(self, paths: Iterable[Path]) -> tuple[Path, ...]:
        """Removes everything personal, whatever the rules say and wherever links lead."""
        return _outermost(path for path in paths if not self._is_there(path) and not self._is_personal(path))

    def _is_there(self, path: Path) -> bool:
        """Whether it is shown with the system; personal folders are not, even if they are inside it."""
        return is_system(path) and not _is_below(path, self._hidden)

    def _is_personal(self, path: Path) -> bool:
        return path in self._personal or _real(path) in self._personal

    def _installation(self, folder: Path) -> Iterator[Path]:
        """Yields the folder and its installation; a link to the folder gives the same under its own name."""
        yield folder
        prefix = folder.parent
        yield from (part for name in self._parts(prefix, folder.name) if (part := prefix / name).exists())
        for place, names in _COMPANIONS.items():
            if folder == self._home / place:
                yield from (path for name in names if (path := self._home / name).exists())

    def _parts(self, prefix: Path, name: str) -> Iterator[str]:
        """Yields what is shown of the parent of a folder of programs."""
        if name in _BIN:
            yield from _PARTS
        managed = name == _SHIMS
        if self._is_personal(prefix) or not (managed or (name in _BIN and not (prefix / ".git").exists())):
            return
        marks = [mark for mark in _KINDS if (prefix / mark).exists()]
        if managed or marks or any((prefix / part).exists() for part in _PARTS[1:]):
            yield from _INSTALLED
            yield from (part for mark in marks for part in (mark, *_KINDS[mark]))

    def _reached(self, link: Path) -> tuple[list[Path], list[Path]]:
        shown: list[Path] = []
        folders: list[Path] = []
        for place in _ways(link):
            if not self._is_there(place):
                more, bin_folder = self._around(place)
                shown += more
                folders += bin_folder
        return shown, folders

    def _around(self, file: Path) -> tuple[list[Path], list[Path]]:
        """Returns what is shown around a file, and its folder of programs, if it is in one."""
        if _MODULES in file.parts:
            return [Path(*file.parts[: file.parts.index(_MODULES) + 1])], []
        if file.parent.name in _BIN:
            return [], [file.parent]
        return [file], []


def _links(folder: Path) -> list[Path]:
    """Returns the links that may lead out of the system; as plain text, because a system has thousands of links."""
    within = is_system(folder)
    try:
        with os.scandir(folder) as entries:
            links = [(entry.path, os.readlink(entry)) for entry in entries if entry.is_symlink()]  # noqa: PTH115
    except OSError:
        return []
    return [Path(path) for path, target in links if not (within and _stays(target))]


def _stays(target: str) -> bool:
    return not target.startswith("/") or target.startswith(("/usr/", "/bin/", "/lib", "/opt/"))


def _ways(path: Path) -> list[Path]:
    """Returns every path that the links of a path lead through, up to the file itself; none if there is no file."""
    ways, place = [path], path
    while place.is_symlink() and len(ways) <= _LINKS:
        place = Path(os.path.normpath(place.parent / place.readlink()))
        ways.append(place)
    return [*dict.fromkeys((*filter(Path.is_file, ways[1:]), _real(path)))] if path.is_file() and len(ways) > 1 else []


def _real(path: Path) -> Path:
    """Like `resolve`, but without an error for a cycle of links."""
    return Path(os.path.realpath(path))


def _outermost(paths: Iterable[Path]) -> tuple[Path, ...]:
    listed = sorted(set(paths), key=lambda path: len(path.parts))
    kept: list[Path] = []
    for path in listed:
        if not any(path.is_relative_to(other) for other in kept):
            kept.append(path)
    return tuple(kept)
