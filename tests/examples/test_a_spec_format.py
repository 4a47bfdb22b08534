"""A new spec format is a module with `NAME`, `belongs`, `read` and `edits`, and its name in the table of formats."""

import json
from pathlib import Path

import pytest

from tests.e2e.cli_rig import new_project
from tests.examples.package_copy import PackageCopy

pytestmark = pytest.mark.slow


@pytest.fixture
def todo_txt(package: PackageCopy) -> PackageCopy:
    package.add("todo_txt.py", "adapters/specs/todo_txt.py")
    package.insert("adapters/specs/open.py", "from shiftwork.adapters.specs import beads", ", todo_txt")
    package.insert("adapters/specs/open.py", "for module in (", "todo_txt, ")
    return package


def test_it_passes_the_suite_for_specs(todo_txt: PackageCopy) -> None:
    todo_txt.suite("todo_txt_suite.py")


def test_its_stories_can_be_planned(todo_txt: PackageCopy, tmp_path: Path) -> None:
    root = new_project(tmp_path).root
    (root / "todo.txt").write_text("x Save it id:save\nSend it id:send needs:save\n", encoding="utf-8")
    plan = json.loads(todo_txt.shiftwork("plan", "todo.txt", "--json", cwd=root))
    assert [story["story"] for story in plan["stories"]] == ["send"], "the other is done"
