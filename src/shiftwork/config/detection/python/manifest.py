"""What a Python project declares: its environment manager, its dependencies, and its extras and dependency groups."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from shiftwork.config.detection.folder import Folder, strings, table
from shiftwork.config.detection.python.requirements import bring, listed
from shiftwork.records import dataclass
from shiftwork.regexes import regex

MANIFESTS: Final = ("pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt", "requirements-dev.txt")
"""A folder with one of these files is a separate Python project."""

TEST_NAMES: Final = ("test", "tests", "testing", "dev", "develop", "development")
"""The usual names of extras and dependency groups for tests."""

_BASE_FILES: Final = ("requirements.txt", "requirements/base.txt", "requirements/requirements.txt")
_TEST_FILE: Final = regex(
    r"requirements[-_.](?:test|tests|testing|dev|develop|development)\.txt"
    r"|(?:test|tests|testing|dev|develop|development)[-_.]requirements\.txt"
    r"|requirements/(?:test|tests|testing|dev|develop|development)\.txt"
)
_LOCKS: Final = {"uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """`manager` makes the environment: uv, poetry, pdm, pipenv or pip; empty if nothing is declared. An `installable`
    project is installed in editable mode. `files` are its requirements files for running and testing it. If a project
    is not installable, its `dependencies` are installed separately.
    """

    project: Mapping[str, Any]
    manager: str = ""
    installable: bool = False
    dependencies: tuple[str, ...] = ()
    extras: Mapping[str, tuple[str, ...]]
    groups: Mapping[str, tuple[str, ...]]
    files: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()

    def brings(self, tool: str) -> bool:
        """Whether an environment with all of these dependencies has the tool."""
        declared = chain(self.dependencies, self.listed, *self.extras.values(), *self.groups.values())
        return bring(declared, tool)


def declared_by(folder: Folder) -> Declared:
    """What the manifests in the folder declare."""
    project, cfg = folder.toml("pyproject.toml"), folder.ini("setup.cfg")
    installable = _installable(folder, project, cfg)
    files = tuple(_requirements_files(folder, skip_base=installable and _says_dependencies(folder, project, cfg)))
    setup_py = folder.text("setup.py")
    return Declared(
        project=project,
        manager=_manager(folder, project) or ("pip" if installable or files or project.get("project") else ""),
        installable=installable,
        dependencies=strings(table(project, "project").get("dependencies")) + _lines(cfg, "install_requires"),
        extras=_extras(project, cfg, setup_py),
        groups=_groups(project, folder.toml("Pipfile")),
        files=files,
        listed=tuple(line for file in files for line in listed(folder, file)),
    )


def _manager(folder: Folder, project: Mapping[str, Any]) -> str:
    if lock := folder.first(*_LOCKS):
        return _LOCKS[lock]
    if folder.has("Pipfile"):
        return "pipenv"
    tools = table(project, "tool")
    if "poetry" in tools or "pdm" in tools:
        return "poetry" if "poetry" in tools else "pdm"
    return "uv" if "uv" in tools and "project" in project else ""


def _installable(folder: Folder, project: Mapping[str, Any], cfg: Mapping[str, Mapping[str, str]]) -> bool:
    """Without a build system setuptools guesses, which works with a `src` folder and may fail without it."""
    if folder.has("setup.py") or "build-system" in project:
        return True
    return folder.has("pyproject.toml") and ("metadata" in cfg or ("project" in project and folder.has_folder("src")))


def _says_dependencies(folder: Folder, project: Mapping[str, Any], cfg: Mapping[str, Mapping[str, str]]) -> bool:
    named = table(project, "project")
    dynamic = "dependencies" in strings(named.get("dynamic"))
    by_setuptools = "install_requires" in cfg.get("options", {}) or "install_requires" in folder.text("setup.py")
    return dynamic or "dependencies" in named or by_setuptools


def _requirements_files(folder: Folder, *, skip_base: bool) -> Iterator[str]:
    """The plain file, unless the project declares its dependencies itself, and the files for tests and development."""
    base = folder.first(*_BASE_FILES)
    if base and not skip_base:
        yield base
    yield from (path for path in folder.files(r".*\.txt", depth=1) if _TEST_FILE.fullmatch(path))


def _extras(
    project: Mapping[str, Any], cfg: Mapping[str, Mapping[str, str]], setup_py: str
) -> dict[str, tuple[str, ...]]:
    declared = {name: strings(value) for name, value in table(project, "project", "optional-dependencies").items()}
    declared |= {name: tuple(value.split("\n")) for name, value in cfg.get("options.extras_require", {}).items()}
    by_poetry = {name: strings(value) for name, value in table(project, "tool", "poetry", "extras").items()}
    return declared | by_poetry | _extras_of_setup_py(setup_py)


def _extras_of_setup_py(text: str) -> dict[str, tuple[str, ...]]:
    """Parsed, not executed: the names before lists after `extras_require`."""
    after = text.partition("extras_require")[2]
    found = re.findall(r"""["'](\w[\w.-]*)["']\s*:\s*\[([^\]]*)\]""", after)
    return {name: tuple(re.findall(r"""["']([^"']+)["']""", values)) for name, values in found}


def _groups(project: Mapping[str, Any], pipfile: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Dependency groups, and the tools' own formats from before these were standardized."""
    poetry = table(project, "tool", "poetry")
    old = table(poetry, "dev-dependencies") | table(pipfile, "dev-packages") | table(pipfile, "packages")
    groups: dict[str, tuple[str, ...]] = {"": tuple(old) + tuple(table(poetry, "dependencies"))}
    groups |= {name: strings(value) for name, value in table(project, "tool", "pdm", "dev-dependencies").items()}
    groups |= {name: tuple(table(item, "dependencies")) for name, item in table(poetry, "group").items()}
    groups[""] += strings(table(project, "tool", "uv").get("dev-dependencies"))
    return groups | {name: strings(value) for name, value in table(project, "dependency-groups").items()}


def _lines(cfg: Mapping[str, Mapping[str, str]], key: str) -> tuple[str, ...]:
    return tuple(line for line in cfg.get("options", {}).get(key, "").split("\n") if line.strip())
