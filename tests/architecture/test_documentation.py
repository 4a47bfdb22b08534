"""Pages that are generated from the code match it, modules that a page names exist, and tests run its commands."""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.domain.run.scheduling import to_start
from shiftwork.testing.builders import asked, started_run
from tests.documented import BLOCK, UNNAMED

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("script", ["docs.py", "docs_architecture.py", "demo_picture.py"])
def test_generated_files_are_up_to_date(script: str) -> None:
    checked = subprocess.run(
        [sys.executable, f"scripts/{script}", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, f"just docs: {checked.stdout}{checked.stderr}"


PLACES = [ROOT / "src" / "shiftwork" / folder for folder in ("", "domain", "adapters", "entrypoints")]


@pytest.mark.parametrize(
    ("file", "sample"), [("ARCHITECTURE.md", "domain/landing/batching"), ("CONTRIBUTING.md", "adapters/specs/open")]
)
def test_modules_that_a_page_names_exist(file: str, sample: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    folders = "domain|planning|app|workspace|adapters|config|processes|bootstrap|entrypoints|ports|testing"
    named = re.findall(rf"`((?:{folders})/(?:\w+/)*\w+)`", text)
    assert sample in named
    gone = [
        name
        for name in named
        if not any((place / name).is_dir() or (place / f"{name}.py").is_file() for place in PLACES)
    ]
    assert gone == []
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_guide_names_the_order_in_which_stories_start() -> None:
    """It promised the smaller priority first, and the story that others wait for was started."""
    text = (ROOT / "docs" / "howto" / "write-a-spec.md").read_text(encoding="utf-8")
    (row,) = (line for line in text.splitlines() if line.startswith("| order |"))
    named = [row.index(name) for name in ("critical path", "`priority`", "order of the file")]
    assert named == sorted(named)
    urgent, waited_for = replace(asked(1), priority=1), replace(asked(2), priority=9)
    alike = replace(asked(4), priority=1)
    run = started_run(urgent, waited_for, asked(3, after=(2,)), alike, parallel=4)
    assert to_start(run, 4) == (waited_for.id, urgent.id, alike.id)


def documents() -> Iterator[Path]:
    yield from ROOT.glob("*.md")
    yield from (ROOT / "docs").rglob("*.md")


def test_every_shell_block_of_the_documentation_is_run_by_a_test() -> None:
    run_here = {
        "answer",
        "antfarm",
        "budget",
        "cleanup",
        "codetether",
        "completion",
        "detach",
        "dynamic",
        "extras",
        "gates",
        "included",
        "ladder",
        "limits",
        "memory",
        "notify",
        "openspec",
        "owed",
        "plan",
        "postgres",
        "proof",
        "quickstart",
        "ralph",
        "recover",
        "review",
        "sandbox",
        "skill",
        "spec",
        "state",
        "steer",
        "steps",
        "undo",
        "uninstall",
        "workflow",
    }
    for file in documents():
        text = file.read_text()
        assert not UNNAMED.search(text), f"{file.name} has a shell block that no test runs"
        assert {found["name"] for found in BLOCK.finditer(text)} <= run_here
