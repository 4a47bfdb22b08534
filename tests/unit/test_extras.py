"""Which extra a thing needs, and what is said if it is not installed."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from shiftwork.extras import EXTRAS, ensure_installed

ROOT = Path(__file__).parents[2]


def test_the_extras_are_those_of_the_package() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert declared.pop("all") == [f"shiftwork[{','.join(EXTRAS)}]"]
    distributions = packages_distributions()
    brought = {name: {distributions[module][0].lower() for module in modules} for name, modules in EXTRAS.items()}
    assert brought == {name: {re.split("[^a-z-]", line)[0] for line in lines} for name, lines in declared.items()}


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_installed_extra_is_no_error(extra: str) -> None:
    ensure_installed(extra, "a setting")


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_missing_extra_is_named_with_the_command_that_installs_it(extra: str) -> None:
    """In an interpreter that sees no installed package."""
    code = f"""
import sys
sys.path.append({str(ROOT / "src")!r})
from shiftwork.errors import MissingExtraError
from shiftwork.extras import ensure_installed
try:
    ensure_installed({extra!r}, "a setting")
except MissingExtraError as error:
    print(error.exit_code, error.message, error.hint, sep="\\n")
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    exit_code, message, hint = done.stdout.splitlines()
    assert exit_code == "64"
    assert message.startswith(f"a setting: this needs the extra {extra!r}, which is not installed (no module ")
    assert all(module in message for module in EXTRAS[extra])
    assert re.search(rf"pip install( --python \S+)? 'shiftwork\[{extra}\]'$", hint)


@pytest.mark.parametrize(
    ("folder", "file", "hint"),
    [
        ("archive-v0/x", "", "uvx --from 'shiftwork[web]' shiftwork demo --web"),
        ("tools/shiftwork", "uv-receipt.toml", "uv tool install 'shiftwork[web]'"),
    ],
)
def test_what_uv_has_installed_gets_the_extra_from_uv(tmp_path: Path, folder: str, file: str, hint: str) -> None:
    prefix = tmp_path / folder
    prefix.mkdir(parents=True)
    if file:
        (prefix / file).touch()
    code = f"""
import sys
sys.path.append({str(ROOT / "src")!r})
sys.prefix = {str(prefix)!r}
from shiftwork.errors import MissingExtraError
from shiftwork.extras import ensure_installed
try:
    ensure_installed("web", "a setting")
except MissingExtraError as error:
    print(error.hint)
"""
    words = [sys.executable, "-I", "-S", "-c", code, "demo", "--web"]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip() == hint
