"""Finds the registries in force for a repository: only those of the package managers that it uses."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

from shiftwork.bounded import read_text
from shiftwork.config.registries import defaults
from shiftwork.config.registries.addresses import Registries, host_of, registries
from shiftwork.config.registries.registry_files import (
    NOTHING,
    Named,
    in_cargo_config,
    in_cargo_variables,
    in_npmrc,
    in_pip_conf,
    in_python_variables,
    in_uv_toml,
    logins_in_npmrc,
)
from shiftwork.domain.network.hosts import Host
from shiftwork.domain.text.globs import matches
from shiftwork.records import dataclass, replace
from shiftwork.regexes import regex

_LARGEST: Final = 1 << 18
_MOST_FOLDERS: Final = 500
_DEEPEST: Final = 2


class Packages(StrEnum):
    """The languages whose package managers a repository uses."""

    PYTHON = "python"
    NODE = "node"
    GO = "go"
    RUBY = "ruby"
    RUST = "rust"


_MANIFESTS: Final = {
    Packages.PYTHON: (
        *("pyproject.toml", "setup.py", "setup.cfg", "*requirements*.txt", "*requirements*.in", "Pipfile", "uv.lock"),
        *("tox.ini", "noxfile.py", "requirements/*.txt"),
    ),
    Packages.NODE: ("package.json", "pnpm-workspace.yaml"),
    Packages.GO: ("go.mod", "go.work"),
    Packages.RUBY: ("Gemfile", "gems.rb", "*.gemspec"),
    Packages.RUST: ("Cargo.toml",),
}
_COMMANDS: Final = {
    Packages.PYTHON: regex(r"\b(?:pip3?|pipx|uvx?|poetry|pdm|pipenv|tox|nox|hatch)\b"),
    Packages.NODE: regex(r"\b(?:npm|npx|pnpm|yarn|bun)\b"),
    Packages.GO: regex(r"\bgo\b"),
    Packages.RUBY: regex(r"\b(?:gem|bundle)\b"),
    Packages.RUST: regex(r"\bcargo\b"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where registries are searched. `apart` are folders of the repository and of agents: programs there never run.
    `system` is the folder of the system's own settings.
    """

    env: Mapping[str, str]
    apart: tuple[Path, ...]
    system: Path = Path("/etc")

    @property
    def home(self) -> Path:
        return Path(self.env.get("HOME") or "/nonexistent")

    @property
    def settings(self) -> Path:
        return Path(self.env.get("XDG_CONFIG_HOME") or self.home / ".config")


def find_registries(root: Path, setup: str, around: Surroundings) -> Registries:
    """The registries that the user, the system and the tools name for the package managers that the repository uses."""
    names = tuple(_names(root))
    used = _used(names, setup)
    words = " ".join((setup, *(name.rpartition("/")[2] for name in names)))
    found = registries(address for packages in used for address in _ADDRESSES[packages](around, words))
    below = tuple(_below(around)) if Packages.RUBY in used else ()
    return replace(found, hosts=(*found.hosts, *below), folders=tuple(_shown(found.folders, around)))


def packages_used(root: Path, setup: str) -> tuple[Packages, ...]:
    """From the manifests in the repository, up to three levels deep, and from the words of the setup command."""
    return _used(tuple(_names(root)), setup)


def _used(names: tuple[str, ...], setup: str) -> tuple[Packages, ...]:
    return tuple(
        packages
        for packages in Packages
        if _COMMANDS[packages].search(setup) or any(matches(_MANIFESTS[packages], name) for name in names)
    )


def _python(around: Surroundings, _words: str) -> Iterator[str]:
    files = (
        (in_pip_conf, around.system / "pip.conf"),
        (in_pip_conf, around.system / "xdg/pip/pip.conf"),
        (in_pip_conf, around.home / ".pip/pip.conf"),
        (in_pip_conf, around.settings / "pip/pip.conf"),
        (in_pip_conf, Path(around.env.get("PIP_CONFIG_FILE") or "/nonexistent")),
        (in_uv_toml, around.system / "uv/uv.toml"),
        (in_uv_toml, around.settings / "uv/uv.toml"),
        (in_uv_toml, Path(around.env.get("UV_CONFIG_FILE") or "/nonexistent")),
    )
    named = [in_python_variables(around.env), *(_read(read, file) for read, file in files)]
    yield from (address for item in named for address in item.addresses)
    if not any(item.replaces for item in named):
        yield from defaults.of_pip(around.env, around.apart)


def _node(around: Surroundings, words: str) -> Iterator[str]:
    """All managers read npm's configuration; the others run only if the repository or its setup command names them."""
    asked = [defaults.of_npm]
    asked += [ask for name, ask in (("pnpm", defaults.of_pnpm), ("yarn", defaults.of_yarn)) if name in words]
    for ask in asked:
        yield from ask(around.env, around.apart)
    for read in (in_npmrc, logins_in_npmrc):
        yield from _read(read, around.home / ".npmrc").addresses


def _go(around: Surroundings, _words: str) -> Iterator[str]:
    yield from defaults.of_go(around.env, around.apart)


def _ruby(around: Surroundings, _words: str) -> Iterator[str]:
    yield from defaults.of_gem(around.env, around.apart)


def _rust(around: Surroundings, _words: str) -> Iterator[str]:
    home = Path(around.env.get("CARGO_HOME") or around.home / ".cargo")
    yield from in_cargo_variables(around.env).addresses
    yield from _read(in_cargo_config, home / "config.toml").addresses
    yield from defaults.of_cargo(home)


_ADDRESSES: Final[Mapping[Packages, Callable[[Surroundings, str], Iterator[str]]]] = {
    Packages.PYTHON: _python,
    Packages.NODE: _node,
    Packages.GO: _go,
    Packages.RUBY: _ruby,
    Packages.RUST: _rust,
}


def _below(around: Surroundings) -> Iterator[Host]:
    """Bundler requests the list of gems from a subdomain of the source's host."""
    hosts = (host_of(address) for address in defaults.of_gem(around.env, around.apart))
    yield from (Host(name=host.name, port=host.port, below=True) for host in hosts if host and "." in host.name)


def _read(read: Callable[[str], Named], file: Path) -> Named:
    try:
        return read(read_text(file, _LARGEST))
    except (OSError, ValueError):
        return NOTHING


def _shown(folders: Iterable[Path], around: Surroundings) -> Iterator[Path]:
    """Without folders that contain the home or the repository, because these would become visible too."""
    closed = [Path(os.path.realpath(path)) for path in (around.home, *around.apart)]
    for folder in folders:
        real = Path(os.path.realpath(folder))
        if not any(path.is_relative_to(real) for path in closed):
            yield folder


def _names(root: Path) -> Iterator[str]:
    """Paths of files in the first folders that are neither hidden nor linked."""
    waiting = [""]
    for count in range(_MOST_FOLDERS):
        if count >= len(waiting):
            return
        above = waiting[count]
        try:
            entries = sorted(os.scandir(root / above), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                yield f"{above}{entry.name}"
            elif not entry.name.startswith((".", "node_modules")) and above.count("/") < _DEEPEST:
                waiting.append(f"{above}{entry.name}/")
