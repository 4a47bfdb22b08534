"""Pages that are generated from the code match it, and modules that a page names exist."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.domain.run.scheduling import to_start
from shiftwork.testing.builders import asked, started_run

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("script", ["docs.py", "docs_architecture.py"])
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
