"""`init` runs each detected gate once, and writes those that are already red as comments with the reason."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.e2e.cli_rig import Project

GREEN = "import unittest\n\n\nclass Cart(unittest.TestCase):\n    def test_total(self) -> None: ...\n"
RED_LINT = "lint:\n\t@echo 'cart.py:1: unused import'; exit 1\n"


def bare(project: Project) -> None:
    """A repository that has never seen shiftwork."""
    (project.root / "shiftwork.toml").unlink()


def committed(project: Project, **files: str) -> None:
    bare(project)
    for name, text in files.items():
        path = project.root / name.replace("__", "/").replace("_py", ".py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "cart")


def written(project: Project) -> dict[str, object]:
    return tomllib.loads((project.root / "shiftwork.toml").read_text(encoding="utf-8"))


def test_a_gate_that_is_red_already_is_a_comment_and_the_green_one_holds(project: Project) -> None:
    committed(project, Makefile=RED_LINT, test_cart_py=GREEN)
    ended = project.shiftwork("init")
    assert ended.returncode == 0, ended
    assert ended.stderr == "running 2 gates on the last commit (--no-check leaves that out)\n"
    lines = [line.strip() for line in ended.stdout.splitlines()]
    assert "red: cart.py:1: unused import (written as a comment)" in lines
    assert any(line.startswith("passed ") for line in lines)
    assert lines[-1] == "wrote shiftwork.toml; look it over, commit it, then: shiftwork doctor"
    assert written(project)["gates"] == {"test": "python3 -m unittest -v"}
    text = (project.root / "shiftwork.toml").read_text(encoding="utf-8")
    assert '\n# lint = "make lint"  # red on main already: cart.py:1: unused import\n' in text
    # What was written is trusted: the user has asked for it.
    assert "you have trusted shiftwork.toml" in project.shiftwork("doctor", SHIFTWORK_TRUST="").stdout


def test_a_document_says_the_same(project: Project) -> None:
    committed(project, Makefile=RED_LINT, test_cart_py=GREEN)
    document = json.loads(project.shiftwork("init", "--json").stdout)
    assert (document["checked_on"], document["not_checked"]) == ("main", "")
    assert {gate["name"]: (gate["passed"], gate["reason"]) for gate in document["gates"]} == {
        "lint": (False, "red on main already: cart.py:1: unused import"),
        "test": (True, ""),
    }


def test_a_setup_command_that_fails_is_a_comment_and_the_gates_stay(project: Project) -> None:
    package = '{"name": "shop", "scripts": {"test": "true", "preinstall": "echo no registry here; exit 3"}}'
    committed(project, **{"package.json": package})
    ended = project.shiftwork("init")
    assert ended.returncode == 0, ended
    assert "the setup command failed, so the gates ran in your own environment" in ended.stdout
    assert written(project)["gates"] == {"test": "npm run test"}
    assert "setup" not in written(project)["workspace"]  # type: ignore[operator]
    assert '\n# setup = "npm install"  # failed on main: ' in (project.root / "shiftwork.toml").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("words", [["--no-check"], ["--print"]])
def test_nothing_is_run_where_that_is_not_wanted(project: Project, words: list[str]) -> None:
    committed(project, Makefile="test:\n\tfalse\n")
    ended = project.shiftwork("init", *words)
    assert (ended.returncode, ended.stderr) == (0, "")
    text = ended.stdout if words == ["--print"] else (project.root / "shiftwork.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["gates"] == {"test": "make test"}


def test_a_repository_that_nothing_can_be_run_in_is_given_all_that_was_found(project: Project, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    project.git("init", "-q", "-b", "main", str(empty))
    (empty / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")
    ended = project.shiftwork("-C", str(empty), "init")
    assert ended.returncode == 0, ended
    assert "not run: " in ended.stdout
    assert 'test = "make test"' in (empty / "shiftwork.toml").read_text(encoding="utf-8")
