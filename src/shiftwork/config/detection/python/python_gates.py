"""Gates of a Python project: ruff or flake8, mypy or pyright, and its tests with pytest, unittest, Django, tox or
nox.
"""

import re
from collections.abc import Mapping
from typing import Final

from shiftwork.config.detection.folder import Folder, table
from shiftwork.config.detection.found import Detected, FoundGate
from shiftwork.config.detection.python import tox_nox
from shiftwork.config.detection.python.installed import in_environment, on_this_machine
from shiftwork.config.detection.python.manifest import Declared, declared_by
from shiftwork.config.detection.python.python_setup import setup_command
from shiftwork.config.detection.python.test_style import Tests, tests_in, unittest_command
from shiftwork.records import dataclass

_SETTINGS: Final = ("pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini")
_CONDA: Final = ("environment.yml", "environment.yaml", "conda-lock.yml")

_CHECKERS: Final = (("lint", "ruff"), ("lint", "flake8"), ("typecheck", "mypy"), ("typecheck", "pyright"))
_FLAKE8: Final = "flake8 --extend-exclude=.venv"
"""By default, flake8 checks every folder except a few known names."""

_OWN_FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "ruff": ("ruff.toml", ".ruff.toml"),
    "flake8": (".flake8",),
    "mypy": ("mypy.ini", ".mypy.ini"),
    "pyright": ("pyrightconfig.json",),
    "pytest": ("pytest.ini", ".pytest.ini"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """A gate started with `python -m`, or as a separate program; `tool` is the package that it needs."""

    gate: str
    command: str
    source: str
    tool: str = ""
    alone: bool = False


def find(folder: Folder) -> Detected:
    """The gates, and the setup command for their environment."""
    declared = declared_by(folder)
    if folder.place and not declared.manager:
        return Detected()
    if declared.manager in {"", "pip"} and not declared.brings("pytest"):
        for runner in (tox_nox.tox, tox_nox.nox):
            if (sessions := runner(folder)).gates:
                return sessions
    tests = tests_in(folder, declared=bool(declared.manager) or folder.has(*_SETTINGS), whole=_is_workspace(declared))
    starts = [*_checkers(folder, declared), *_tests(folder, declared, tests)]
    setup = _setup(folder, declared, [start.tool for start in starts if start.tool and not start.alone])
    python = ".venv/bin/python" if folder.place and setup else "python3"
    gates = (
        FoundGate(
            name=start.gate,
            command=start.command if start.alone else f"{python} {start.command}",
            source=start.source,
        )
        for start in starts
    )
    return Detected(gates=tuple(gates), setup=setup)


def _is_workspace(declared: Declared) -> bool:
    return "workspace" in table(declared.project, "tool", "uv")


def _setup(folder: Folder, declared: Declared, tools: list[str]) -> str:
    if not declared.manager:
        if folder.has(*_CONDA) or all(on_this_machine(folder, tool) for tool in tools):
            return ""
        return setup_command(folder, declared, tools)
    if folder.has(".pre-commit-config.yaml") and in_environment(folder, "pre_commit"):
        tools = [*tools, "pre-commit"]
    return setup_command(folder, declared, tools)


def _checkers(folder: Folder, declared: Declared) -> list[_Start]:
    """At most one linter and one type checker, each only if it can be started."""
    starts: dict[str, _Start] = {}
    for gate, tool in _CHECKERS:
        source = configured(folder, declared, tool)
        brought = declared.brings(tool) or in_environment(folder, tool)
        if gate in starts or not source or not (brought or folder.program(tool)):
            continue
        command = {"ruff": "ruff check .", "flake8": _FLAKE8, "mypy": _mypy(folder, declared)}.get(tool, tool)
        words = command if not brought else f"-m {command}"
        starts[gate] = _Start(gate=gate, command=words, source=source, tool=tool, alone=not brought)
    return list(starts.values())


def _tests(folder: Folder, declared: Declared, tests: Tests) -> list[_Start]:
    source = configured(folder, declared, "pytest")
    if not tests.files and not (source and _named_folder(folder, declared)):
        return []
    if source or tests.pytest or in_environment(folder, "pytest"):
        where = source or tests.files[0]
        return [_Start(gate="test", command="-m pytest -v", source=where, tool="pytest")]
    if "django" in folder.text("manage.py").lower():
        return [_Start(gate="test", command="manage.py test", source="manage.py")]
    return [_Start(gate="test", command=f"-m {unittest_command(folder, tests)}", source=tests.files[0])]


def _named_folder(folder: Folder, declared: Declared) -> bool:
    """Whether the pytest settings define the names of test files, which may then be anything."""
    settings = table(declared.project, "tool", "pytest", "ini_options")
    text = "\n".join(map(folder.text, ("pytest.ini", "setup.cfg", "tox.ini")))
    return "python_files" in settings or re.search(r"^python_files\s*=", text, re.MULTILINE) is not None


def configured(folder: Folder, declared: Declared, tool: str) -> str:
    """The file which shows that the project uses the tool; empty if there is none."""
    if tool in table(declared.project, "tool"):
        return "pyproject.toml"
    for file in ("setup.cfg", "tox.ini"):
        if re.search(rf"^\[(tool:)?{tool}(-[^\]]*)?\]", folder.text(file), re.MULTILINE):
            return file
    if own := folder.first(*_OWN_FILES[tool]):
        return own
    if not declared.brings(tool):
        return ""
    return folder.first("pyproject.toml", "Pipfile", *declared.files, "setup.cfg", "setup.py")


def _mypy(folder: Folder, declared: Declared) -> str:
    """If its settings name no files, mypy needs them as arguments."""
    settings = table(declared.project, "tool", "mypy")
    given = any(key in settings for key in ("files", "packages", "modules"))
    elsewhere = folder.text("mypy.ini") or folder.text(".mypy.ini") or folder.text("setup.cfg")
    listed = re.search(r"^(files|packages|modules)\s*=", elsewhere, re.MULTILINE)
    return "mypy" if given or listed else "mypy ."
