"""The recipes of the justfile: each has a row in `just full` or a reason, and what pages and programs name exists."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.full.table import MOST_MINUTES, NOT_STARTED, ROWS

ROOT = Path(__file__).resolve().parents[2]
_NAME = r"((?:[a-z]+-)*[a-z]+)"
NAMED = re.compile(
    rf"(?:`|^ {{4}}|: |with: |; |run )just {_NAME}(?=[\s`\"';,.{{)]|$)|(?<=[\"'])just {_NAME}(?=[\"'])", re.MULTILINE
)
"""As code, as a command after a colon, or alone in quotes."""
PLACES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ".ci", "docs", "scripts")
PROGRAMS = ("src", "bench", "tests", "web/src", "web/e2e", "web/bench")
OTHERS = {
    "tests/unit/detection/test_task_files.py",
    "src/shiftwork/config/detection/project_gates.py",
    "tests/architecture/test_recipes.py",
}
"""About the justfiles of users, and this one."""


def recipes() -> dict[str, Any]:
    printed = subprocess.run(
        ["just", "--dump", "--dump-format", "json"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(printed.stdout)["recipes"]
    return found


def test_every_recipe_is_run_by_just_full_or_says_why_not() -> None:
    started = {row.recipe for row in ROWS}
    assert started.isdisjoint(NOT_STARTED)
    assert recipes().keys() == started | NOT_STARTED.keys()


def test_arguments_stand_only_where_a_recipe_takes_some() -> None:
    takes = {name for name, recipe in recipes().items() if recipe["parameters"]}
    assert [row.recipe for row in ROWS if row.words and row.recipe not in takes] == []


def test_all_rows_together_take_no_longer_than_just_full_may() -> None:
    assert sum(row.minutes for row in ROWS) <= MOST_MINUTES


def written() -> dict[str, str]:
    listed = subprocess.run(
        ["git", "ls-files", *PLACES, *PROGRAMS], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    readable = {".md", ".py", ".sh", ".ts", ".tsx", ".mjs", ".yaml", ".json", ""}
    files = [name for name in listed if Path(name).suffix in readable and name not in OTHERS]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in files if (ROOT / name).is_file()}


def named_recipes(text: str) -> set[str]:
    """Also of a command that is broken over two lines."""
    return {found for pair in NAMED.findall(re.sub(r"`just\n\s*", "`just ", text)) for found in pair if found}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("see `just bench-cli` there", {"bench-cli"}),
        ("    just check      # everything", {"check"}),
        ("the board is not built: just web", {"web"}),
        ('f"again with: just chaos --seed {seed}"', {"chaos"}),
        ("and `just\nchaos` kills", {"chaos"}),
        ('hint="just web")', {"web"}),
        ("it was just taken over, and 'just now it was'", set()),
    ],
)
def test_a_named_recipe_is_found(text: str, names: set[str]) -> None:
    assert named_recipes(text) == names


def test_every_recipe_that_is_named_anywhere_exists() -> None:
    texts = written()
    assert {"README.md", "bench/web.py", "docs/scaling.md"} <= texts.keys()
    known = recipes().keys()
    unknown = {name: sorted(named_recipes(text) - known) for name, text in texts.items()}
    assert {name: names for name, names in unknown.items() if names} == {}
