"""The command that makes the environment of a Python project, with the tool that manages it.

It runs in a fresh tree, where `python3` is the project's interpreter, and creates `.venv` there.
"""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from shiftwork.config.detection.folder import Folder, strings, table
from shiftwork.config.detection.python.manifest import TEST_NAMES, Declared
from shiftwork.config.detection.python.requirements import bring
from shiftwork.records import dataclass

_VENV: Final = "python3 -m venv .venv"
_PIP: Final = ".venv/bin/python -m pip install -q"
_GROUPS_SINCE: Final = "'pip>=25.1'"
"""The pip in a new environment may be older, and then does not support dependency groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What the gates need of a project's declarations, and the `missing` tools that are not declared."""

    folder: Folder
    declared: Declared
    extras: list[str]
    groups: list[str]
    missing: list[str]


def setup_command(folder: Folder, declared: Declared, tools: Sequence[str]) -> str:
    """Installs the project and its test dependencies; `tools` are the programs that gates start, installed too if no
    declaration includes them.
    """
    left = [tool for tool in tools if not bring((*declared.dependencies, *declared.listed), tool)]
    groups = _chosen(declared.groups, left)
    left = [tool for tool in left if not any(bring(declared.groups[name], tool) for name in ("", *groups))]
    extras = _chosen(declared.extras, left)
    left = [tool for tool in left if not any(bring(declared.extras[name], tool) for name in extras)]
    wanted = _Wanted(folder=folder, declared=declared, extras=extras, groups=groups, missing=left)
    return _MANAGERS[declared.manager](wanted)


def _chosen(sets: Mapping[str, Iterable[str]], tools: Sequence[str]) -> list[str]:
    """The extras or groups with the usual names for tests; for a tool that none of them includes, the first that
    does.
    """
    names = [name for name in TEST_NAMES if name in sets]
    for tool in tools:
        if not any(bring(sets[name], tool) for name in names):
            names += [name for name in sets if name and bring(sets[name], tool)][:1]
    return names


def _pip(wanted: _Wanted) -> str:
    declared = wanted.declared
    if any("--hash=" in wanted.folder.text(file) for file in declared.files):
        return _pip_with_hashes(declared, wanted.missing)
    groups = [name for name in wanted.groups if name in table(declared.project, "dependency-groups")]
    words = [f"-r {file}" for file in declared.files]
    if declared.installable:
        words.append(f"-e {shlex.quote('.[' + ','.join(wanted.extras) + ']')}" if wanted.extras else "-e .")
    else:
        listed = (*declared.dependencies, *(extra for name in wanted.extras for extra in declared.extras[name]))
        words += map(shlex.quote, dict.fromkeys(listed))
    words += [*(f"--group {name}" for name in groups), *wanted.missing]
    if not words:
        return ""
    newer = [f"{_PIP} --upgrade {_GROUPS_SINCE}"] if groups else []
    return " && ".join([_VENV, *newer, f"{_PIP} {' '.join(words)}"])


def _pip_with_hashes(declared: Declared, missing: Sequence[str]) -> str:
    """The files pin everything, and pip rejects requirements without a hash in the same command."""
    parts = [_VENV, *(f"{_PIP} -r {file}" for file in declared.files)]
    parts += [f"{_PIP} --no-deps -e ."] if declared.installable else []
    parts += [f"{_PIP} {' '.join(missing)}"] if missing else []
    return " && ".join(parts)


def _uv(wanted: _Wanted) -> str:
    project = wanted.declared.project
    settings = table(project, "tool", "uv")
    by_default = settings.get("default-groups", ["dev"])
    groups = [name for name in wanted.groups if name in table(project, "dependency-groups")]
    words = [
        "uv sync -q",
        *(["--frozen"] if wanted.folder.has("uv.lock") else []),
        *(["--all-packages"] if "workspace" in settings else []),
        *(f"--extra {name}" for name in wanted.extras),
        *(f"--group {name}" for name in groups if by_default != "all" and name not in strings(by_default)),
    ]
    return _then(" ".join(words), "uv pip install -q -p .venv", wanted.missing)


def _poetry(wanted: _Wanted) -> str:
    groups = table(wanted.declared.project, "tool", "poetry", "group")
    optional = [name for name in wanted.groups if table(groups, name).get("optional") is True]
    words = [
        "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction",
        *(f"--extras {name}" for name in wanted.extras),
        *(f"--with {name}" for name in optional),
    ]
    return _then(" ".join(words), "poetry run pip install -q", wanted.missing)


def _pdm(wanted: _Wanted) -> str:
    words = [
        f"pdm {'sync' if wanted.folder.has('pdm.lock') else 'install'} -q",
        *(f"-G {name}" for name in wanted.extras),
    ]
    return _then(" ".join(words), "pdm run python -m ensurepip && pdm run python -m pip install -q", wanted.missing)


def _pipenv(wanted: _Wanted) -> str:
    frozen = "sync" if wanted.folder.has("Pipfile.lock") else "install"
    return _then(f"PIPENV_VENV_IN_PROJECT=1 pipenv {frozen} --dev", "pipenv run pip install -q", wanted.missing)


def _undeclared(wanted: _Wanted) -> str:
    return f"{_VENV} && {_PIP} {' '.join(wanted.missing)}" if wanted.missing else ""


def _then(command: str, install: str, missing: Sequence[str]) -> str:
    return f"{command} && {install} {' '.join(missing)}" if missing else command


type _Manager = Callable[[_Wanted], str]

_MANAGERS: Final[Mapping[str, _Manager]] = {
    "uv": _uv,
    "poetry": _poetry,
    "pdm": _pdm,
    "pipenv": _pipenv,
    "pip": _pip,
    "": _undeclared,
}
