"""A copy of the work tree with an environment of its own, in which defects are made and tests are run."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import Final

from shiftwork.records import dataclass

ROOT: Final = Path(__file__).resolve().parents[2]
_CHANGED: Final = re.compile(r"^\+\+\+ b/(\S+)$", re.MULTILINE)
_RED: Final = re.compile(r"^(?:FAILED|ERROR) (\S+?\.py(?:::.+?)?)(?: - .*)?$", re.MULTILINE)
_NOTHING_COLLECTED: Final = 5
_OUTPUT: Final = 3000


class CopyError(Exception):
    """The copy cannot be used for what was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The tests that failed, with the end of the output."""

    red: tuple[str, ...]
    seconds: float
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DisposableCopy:
    """Made by `copy_work_tree`."""

    tree: Path
    workers: int

    @contextmanager
    def patched(self, patch: Path) -> Iterator[None]:
        self._apply(patch)
        try:
            yield
        finally:
            self._apply(patch, "--reverse")

    def _apply(self, patch: Path, *options: str) -> None:
        applied = subprocess.run(
            ("git", "apply", *options, str(patch)), cwd=self.tree, capture_output=True, text=True, check=False
        )
        if applied.returncode:
            raise CopyError(f"the patch does not apply: {applied.stderr.strip()}")
        # Python compares only whole seconds and sizes to see whether a compiled file is out of date.
        for changed in _CHANGED.findall(patch.read_text(encoding="utf-8")):
            with suppress(FileNotFoundError):
                Path(cache_from_source(str(self.tree / changed))).unlink()

    def run_tests(self, *arguments: str) -> Outcome:
        """Runs pytest; raises CopyError if it ran no test, or if it failed and names no test."""
        begun = time.monotonic()
        options = ("-q", "-p", "no:randomly", "-n", str(self.workers), "--no-header", "--tb=short", "-rfE")
        ran = self._run("python", "-m", "pytest", *options, *arguments)
        red = tuple(dict.fromkeys(_RED.findall(ran.stdout)))
        if ran.returncode == _NOTHING_COLLECTED:
            raise CopyError(f"there are no tests in {' '.join(arguments)}")
        if ran.returncode and not red:
            raise CopyError(f"pytest has failed, and names no test:\n{(ran.stdout + ran.stderr)[-_OUTPUT:]}")
        return Outcome(red=red, seconds=time.monotonic() - begun, output=ran.stdout[-_OUTPUT:])

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a command as the recipes do: with the environment of the copy, and nothing from ours."""
        env = {name: value for name, value in os.environ.items() if name not in {"VIRTUAL_ENV", "PYTHONPATH"}}  # noqa: TID251
        script = 'source scripts/env.sh; exec "$@"'
        command = ("bash", "-euc", script, "bash", *words)
        return subprocess.run(command, cwd=self.tree, env=env, capture_output=True, text=True, check=False)

    def check_sources_win(self) -> None:
        """Raises CopyError if a process of the copy, or the command that is installed there, loads other sources."""
        python, ours = self.tree / ".venv/bin/python", self.tree / "src/shiftwork/__init__.py"
        asked = subprocess.run(
            (python, "-I", "-c", "import shiftwork; print(shiftwork.__file__)"),
            cwd="/",
            capture_output=True,
            text=True,
            check=True,
        )
        shebang = (self.tree / ".venv/bin/shiftwork").read_text(encoding="utf-8").partition("\n")[0]
        if Path(asked.stdout.strip()) != ours or shebang != f"#!{python}":
            raise CopyError(f"the copy does not use its own sources: {asked.stdout.strip()}, {shebang}")


@contextmanager
def copy_work_tree(*, workers: int) -> Iterator[DisposableCopy]:
    """Copies what git would commit, also uncommitted, and what was built. The environment is made of hard links, except
    for the files that name the place of the sources.
    """
    with tempfile.TemporaryDirectory(prefix="shiftwork-seeded-") as folder:
        tree = Path(folder).resolve() / "tree"
        listed = subprocess.run(
            ("git", "ls-files", "-co", "--exclude-standard", "-z"), cwd=ROOT, capture_output=True, check=True
        )
        for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
            if (ROOT / name).exists():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, tree / name, follow_symlinks=False)
        for built in ("src/shiftwork/board",):
            if (ROOT / built).is_dir():
                shutil.copytree(ROOT / built, tree / built)
        (tree / ".cache").mkdir()
        (tree / ".cache/tools").symlink_to(ROOT / ".cache/tools")
        if (agents := (ROOT / ".cache/agents").resolve()).is_dir():  # a sandbox shows none through a link
            shutil.copytree(agents, tree / ".cache/agents", symlinks=True, copy_function=_link_or_copy)
        _copy_environment(Path(sys.prefix), tree)
        subprocess.run(("git", "init", "-q"), cwd=tree, check=True)
        copied = DisposableCopy(tree=tree, workers=workers)
        copied.check_sources_win()
        yield copied


def _copy_environment(own: Path, tree: Path) -> None:
    new = tree / ".venv"
    shutil.copytree(own, new, symlinks=True, copy_function=_link_or_copy, ignore=shutil.ignore_patterns("uv*.lock"))
    packages = next(new.glob("lib/python*/site-packages"))
    _rewrite(packages / "shiftwork.pth", ROOT, tree)
    for program in (new / "bin").iterdir():
        if not program.is_symlink() and program.read_bytes()[:2] == b"#!":
            _rewrite(program, own, new)


def _rewrite(file: Path, old: Path, new: Path) -> None:
    """Replaces the place in a file, as a new file: the present one is shared."""
    text, mode = file.read_text(encoding="utf-8"), file.stat().st_mode
    file.unlink()
    file.write_text(text.replace(str(old), str(new)), encoding="utf-8")
    file.chmod(mode)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def run_in_order(copied: DisposableCopy, paths: Sequence[str]) -> str:
    """The first test that fails; empty if all are green."""
    for path in paths:
        if red := copied.run_tests("-x", path).red:
            return red[0]
    return ""
