"""Finds the checks a project already has, so that a first run has gates without anybody writing settings.

Looked at: files at the root of the repository, nothing deeper, and nothing is executed. A file that cannot be read is
the same as none: guessing must never stand in the way of working. Where a project has words of its own for its checks
(`just test`, `make lint`) they win, and with a word for testing among them nothing else is guessed: what its language
would suggest beside them may not even be installed, and a gate that is red for that reason lands nothing.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

GATE_ORDER: Final = ("lint", "typecheck", "test", "build", "check")
"""Cheap ones first: a red gate is then found early."""

_FILE_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGate:
    """A check, the command that runs it, and the file that gave it away."""

    name: str
    command: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """What a fresh tree must be told before the gates can run (`setup`, may be empty), and the gates."""

    gates: tuple[FoundGate, ...] = ()
    setup: str = ""


def detect(root: Path) -> Detected:
    """What the project at `root` gives away; the first that names a gate wins."""
    folder = _Folder(root)
    found: dict[str, FoundGate] = {}
    for finder in (*_OWN_WORDS, *_LANGUAGES):
        if finder in _LANGUAGES and "test" in found and found["test"].source in _TASK_FILES:
            break
        for gate in finder(folder):
            found.setdefault(gate.name, gate)
    if "test" in found:
        # `check` nearly always means lint and test again: it stands in only where there is no test.
        found.pop("check", None)
    gates = tuple(found[name] for name in GATE_ORDER if name in found)
    return Detected(gates=gates, setup=_setup(folder) if gates else "")


class _Folder:
    """The root of a project, read leniently."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def text(self, name: str) -> str:
        try:
            with (self._root / name).open("rb") as file:
                return file.read(_FILE_BYTES).decode(errors="replace")
        except OSError:
            return ""

    def has(self, *names: str) -> bool:
        return any((self._root / name).is_file() for name in names)

    def glob(self, pattern: str) -> bool:
        try:
            return next(self._root.glob(pattern), None) is not None
        except OSError:
            return False

    def toml(self, name: str) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text(name))
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}

    def json(self, name: str) -> dict[str, Any]:
        try:
            value = json.loads(self.text(name) or "{}")
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


def _table(value: Any, *path: str) -> dict[str, Any]:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


# The project's own words ---------------------------------------------------------------------------------------


_JUST_FILES: Final = ("justfile", "Justfile", ".justfile")
_MAKE_FILES: Final = ("GNUmakefile", "Makefile", "makefile")
_TASK_FILES: Final = frozenset({*_JUST_FILES, *_MAKE_FILES})


def _just(folder: _Folder) -> Iterator[FoundGate]:
    for file in _JUST_FILES:
        for name in _recipes(folder.text(file), r"^@?([A-Za-z][\w-]*)(?:[ \t][^\n:]*)?:(?!=)"):
            yield FoundGate(name=name, command=f"just {name}", source=file)


def _make(folder: _Folder) -> Iterator[FoundGate]:
    for file in _MAKE_FILES:
        for name in _recipes(folder.text(file), r"^([A-Za-z][\w-]*)[ \t]*:(?![:=])"):
            yield FoundGate(name=name, command=f"make {name}", source=file)


def _recipes(text: str, pattern: str) -> list[str]:
    named = set(re.findall(pattern, text, re.MULTILINE))
    return [name for name in GATE_ORDER if name in named and name != "build"]


# Languages -----------------------------------------------------------------------------------------------------

_SCRIPTS: Final = {
    "lint": ("lint",),
    "typecheck": ("typecheck", "type-check", "check-types", "tsc"),
    "test": ("test",),
    "build": ("build",),
}
_NO_TESTS: Final = "no test specified"


def _node(folder: _Folder) -> Iterator[FoundGate]:
    scripts = _table(folder.json("package.json"), "scripts")
    program = _package_manager(folder)
    for gate, names in _SCRIPTS.items():
        script = next((name for name in names if isinstance(scripts.get(name), str)), None)
        if script and _NO_TESTS not in scripts[script]:
            yield FoundGate(name=gate, command=f"{program} run {script}", source="package.json")


def _package_manager(folder: _Folder) -> str:
    locks = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"}
    by_lock = next((program for lock, program in locks.items() if folder.has(lock)), None)
    named = str(folder.json("package.json").get("packageManager", "")).partition("@")[0]
    return by_lock or (named if named in locks.values() else "npm")


_ACTIVE: Final = "python3 -m "
_PYTHON_TESTS: Final = {"tests/test_*.py": " discover -s tests", "test_*.py": ""}


def _python(folder: _Folder) -> Iterator[FoundGate]:
    marks = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini", "requirements.txt")
    if not folder.has(*marks) and not any(map(folder.glob, _PYTHON_TESTS)):
        return
    runner = _python_runner(folder)
    for name, tool, command in (
        ("lint", "ruff", "ruff check ."),
        ("lint", "flake8", "flake8"),
        ("typecheck", "mypy", _mypy(folder)),
        ("typecheck", "pyright", "pyright"),
        ("test", "pytest", "pytest"),
    ):
        if source := _uses(folder, tool):
            yield FoundGate(name=name, command=f"{runner}{command}", source=source)
    python = "python3" if runner == _ACTIVE else f"{runner}python"
    for pattern, arguments in _PYTHON_TESTS.items():
        if folder.glob(pattern):
            yield FoundGate(name="test", command=f"{python} -m unittest{arguments}", source=pattern)


def _python_runner(folder: _Folder) -> str:
    """What makes the project's own environment come before the command; `python3 -m` is whatever is active."""
    tools = _table(folder.toml("pyproject.toml"), "tool")
    for program in ("uv", "poetry", "pdm"):
        if folder.has(f"{program}.lock") or program in tools:
            return f"{program} run "
    return _ACTIVE


_TOOL_FILES: Final = {
    "ruff": ("ruff.toml", ".ruff.toml"),
    "flake8": (".flake8",),
    "mypy": ("mypy.ini", ".mypy.ini"),
    "pyright": ("pyrightconfig.json",),
    "pytest": ("pytest.ini", "conftest.py", "tests/conftest.py"),
}
_DEPENDENCY_FILES: Final = ("requirements.txt", "requirements-dev.txt", "requirements/dev.txt", "setup.py", "setup.cfg")


def _uses(folder: _Folder, tool: str) -> str:
    """The file that shows that the project uses the tool; empty where none does."""
    project = folder.toml("pyproject.toml")
    if tool in _table(project, "tool") or _named(json.dumps(_dependencies(project), default=str), tool):
        return "pyproject.toml"
    for file in ("setup.cfg", "tox.ini"):
        if re.search(rf"^\[(tool:)?{tool}(-[^\]]*)?\]", folder.text(file), re.MULTILINE):
            return file
    own = next((file for file in _TOOL_FILES[tool] if folder.has(file)), "")
    return own or next((file for file in _DEPENDENCY_FILES if _named(folder.text(file), tool)), "")


def _dependencies(project: dict[str, Any]) -> list[Any]:
    return [
        _table(project, "project").get("dependencies"),
        _table(project, "project").get("optional-dependencies"),
        project.get("dependency-groups"),
        _table(project, "tool", "uv").get("dev-dependencies"),
        list(_table(project, "tool", "poetry", "dev-dependencies")),
        [list(_table(group, "dependencies")) for group in _table(project, "tool", "poetry", "group").values()],
    ]


def _named(text: str, tool: str) -> bool:
    """As a requirement of its own: `pytest-cov` alone does not say that `pytest` is used, but nearly so."""
    return re.search(rf"""(?:^|["'\s]){tool}(?:[-\w]*)?(?=["'\s\[<>=!~;,]|$)""", text, re.MULTILINE) is not None


def _mypy(folder: _Folder) -> str:
    """Without files in its settings it must be told where to look."""
    settings = _table(folder.toml("pyproject.toml"), "tool", "mypy")
    told = any(key in settings for key in ("files", "packages", "modules"))
    elsewhere = folder.text("mypy.ini") or folder.text("setup.cfg")
    listed = re.search(r"^(files|packages|modules)\s*=", elsewhere, re.MULTILINE)
    return "mypy" if told or listed else "mypy ."


def _rust(folder: _Folder) -> Iterator[FoundGate]:
    if not folder.has("Cargo.toml"):
        return
    if folder.has("clippy.toml", ".clippy.toml") or _table(folder.toml("Cargo.toml"), "lints"):
        yield FoundGate(name="lint", command="cargo clippy --all-targets -- -D warnings", source="Cargo.toml")
    yield FoundGate(name="typecheck", command="cargo check --all-targets", source="Cargo.toml")
    yield FoundGate(name="test", command="cargo test", source="Cargo.toml")


def _go(folder: _Folder) -> Iterator[FoundGate]:
    if not folder.has("go.mod"):
        return
    strict = folder.has(".golangci.yml", ".golangci.yaml", ".golangci.toml")
    yield FoundGate(name="lint", command="golangci-lint run" if strict else "go vet ./...", source="go.mod")
    yield FoundGate(name="test", command="go test ./...", source="go.mod")
    yield FoundGate(name="build", command="go build ./...", source="go.mod")


type _Finder = Callable[[_Folder], Iterator[FoundGate]]

_OWN_WORDS: Final[tuple[_Finder, ...]] = (_just, _make)
_LANGUAGES: Final[tuple[_Finder, ...]] = (_node, _python, _rust, _go)


# What a fresh tree needs ---------------------------------------------------------------------------------------


def _setup(folder: _Folder) -> str:
    parts = (_node_setup(folder), _python_setup(folder))
    return " && ".join(part for part in parts if part)


def _node_setup(folder: _Folder) -> str:
    if not folder.json("package.json"):
        return ""
    program = _package_manager(folder)
    if program == "npm":
        return "npm ci" if folder.has("package-lock.json", "npm-shrinkwrap.json") else "npm install"
    frozen = "--immutable" if program == "yarn" and folder.has(".yarnrc.yml") else "--frozen-lockfile"
    return f"{program} install {frozen}"


def _python_setup(folder: _Folder) -> str:
    """`uv run` makes the environment itself; the others must be told to."""
    runner = _python_runner(folder) if folder.has("pyproject.toml") else ""
    return {"poetry run ": "poetry install --no-interaction", "pdm run ": "pdm install"}.get(runner, "")
