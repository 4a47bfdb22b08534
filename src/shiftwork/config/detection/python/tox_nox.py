"""tox and nox: test runners that make their own environments, in `.tox` and `.nox`."""

import re
from typing import Final

from shiftwork.config.detection.folder import Folder, table
from shiftwork.config.detection.found import Detected, FoundGate
from shiftwork.regexes import regex

_VENV: Final = "python3 -m venv .venv && .venv/bin/python -m pip install -q"
_SESSION: Final = regex(r"^@(?:nox\.)?session\b[^\n]*\n(?:[ \t)][^\n]*\n|@[^\n]*\n){0,50}+def\s+(\w+)", re.MULTILINE)
_NAMED: Final = regex(r"""^@(?:nox\.)?session\([^)@]*\bname\s*=\s*["']([\w.-]+)["']""", re.MULTILINE)
_GATES: Final = {
    "lint": ("lint", "linter", "ruff", "flake8"),
    "typecheck": ("typecheck", "type_check", "typing", "mypy"),
    "test": ("tests", "test", "unit", "unittests", "pytest"),
}
_INTERPRETERS: Final = regex(r"\bpy(?:py)?\{?\d|(?<![\w.])3\.\d+")


def tox(folder: Folder) -> Detected:
    """The environments that `tox` runs by default, without interpreters that this machine lacks."""
    source, settings = _tox_settings(folder)
    if not source:
        return Detected()
    skips = " --skip-missing-interpreters=true" if _INTERPRETERS.search(settings) else ""
    return Detected(
        gates=(FoundGate(name="test", command=f"{_python(folder)} -m tox{skips}", source=source),),
        setup=f"{_VENV} tox && .venv/bin/python -m tox -q --notest{skips}",
    )


def _tox_settings(folder: Folder) -> tuple[str, str]:
    """The file with the tox settings, and their text."""
    if re.search(r"^\[(?:tox|testenv)", folder.text("tox.ini"), re.MULTILINE):
        return "tox.ini", folder.text("tox.ini")
    if re.search(r"^\[tox:tox\]", folder.text("setup.cfg"), re.MULTILINE):
        return "setup.cfg", folder.text("setup.cfg")
    if folder.has("tox.toml"):
        return "tox.toml", folder.text("tox.toml")
    settings = table(folder.toml("pyproject.toml"), "tool", "tox")
    return ("pyproject.toml", str(settings)) if settings else ("", "")


def nox(folder: Folder) -> Detected:
    """The sessions with the usual names of checks; if there are none, what `nox` runs by default."""
    text = folder.text("noxfile.py")
    if not text:
        return Detected()
    sessions = {*_SESSION.findall(text), *_NAMED.findall(text)}
    # If CI is set in the environment, a missing interpreter would be an error.
    run = f"{_python(folder)} -m nox -r --no-error-on-missing-interpreters"
    chosen = {gate: next((name for name in names if name in sessions), "") for gate, names in _GATES.items()}
    gates = [
        FoundGate(name=gate, command=f"{run} -s {session}", source="noxfile.py")
        for gate, session in chosen.items()
        if session
    ]
    if not chosen["test"]:
        gates = [FoundGate(name="test", command=run, source="noxfile.py")]
    names = "".join(f" -s {session}" for session in chosen.values() if session and chosen["test"])
    install = f".venv/bin/python -m nox -r --no-error-on-missing-interpreters --install-only{names}"
    return Detected(gates=tuple(gates), setup=f"{_VENV} nox && {install}")


def _python(folder: Folder) -> str:
    return ".venv/bin/python" if folder.place else "python3"
