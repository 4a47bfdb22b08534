"""A copy of the package, to which a test adds what a contributor would add: files, and entries in tables."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.cli_rig import environment
from tests.patience import SECONDS

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageCopy:
    """Paths are relative to the package, as in CONTRIBUTING.md."""

    folder: Path

    def add(self, example: str, path: str) -> None:
        """A new module: a file of this folder."""
        shutil.copyfile(EXAMPLES / example, self._new(path))

    def write(self, path: str, text: str) -> None:
        """A new module that is too short for a file here."""
        self._new(path).write_text(text, encoding="utf-8")

    def insert(self, path: str, after: str, text: str) -> None:
        """An entry, behind a text that occurs once in the module."""
        self.replace(path, after, after + text)

    def replace(self, path: str, old: str, new: str) -> None:
        file = self.folder / "shiftwork" / path
        before = file.read_text(encoding="utf-8")
        assert before.count(old) == 1, f"{path} no longer has one {old!r}: change this example"
        file.write_text(before.replace(old, new), encoding="utf-8")

    def python(self, *words: str, cwd: Path = ROOT, **env: str) -> str:
        """What Python prints, with this package instead of the installed one."""
        completed = subprocess.run(
            [sys.executable, *words],
            cwd=cwd,
            env=environment(PYTHONPATH=str(self.folder), **env),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert completed.returncode == 0, completed
        return completed.stdout

    def shiftwork(self, *words: str, cwd: Path = ROOT, **env: str) -> str:
        return self.python("-c", "from shiftwork.entrypoints.cli import main; main()", *words, cwd=cwd, **env)

    def suite(self, example: str) -> None:
        """Runs a suite of this folder, which imports the package from this copy."""
        self.python("-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLES / example))

    def _new(self, path: str) -> Path:
        file = self.folder / "shiftwork" / path
        assert not file.exists(), file
        return file


def copied(folder: Path) -> PackageCopy:
    shutil.copytree(ROOT / "src/shiftwork", folder / "shiftwork", ignore=shutil.ignore_patterns("__pycache__"))
    return PackageCopy(folder=folder)
