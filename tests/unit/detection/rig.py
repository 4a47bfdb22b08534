"""Small projects in the test's own folders."""

from collections.abc import Mapping
from pathlib import Path

from shiftwork.config.detection.found import Detected
from shiftwork.config.detection.project_gates import detect

PYTEST = "def test_a():\n    assert True\n"
UNITTEST = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self) -> None: ...\n"


def laid(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def found_in(folder: Path, files: Mapping[str, str], env: Mapping[str, str] | None = None) -> Detected:
    return detect(laid(folder, files), env)


def gates_of(found: Detected) -> dict[str, str]:
    return {gate.name: gate.command for gate in found.gates}


def program(folder: Path, name: str) -> Mapping[str, str]:
    """The environment of a user with that program and no other."""
    laid(folder, {f"bin/{name}": "#!/bin/sh\n"})
    (folder / "bin" / name).chmod(0o755)
    return {"PATH": str(folder / "bin")}
