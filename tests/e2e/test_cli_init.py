"""`init` runs each detected gate once, and writes those that are already red as comments with the reason."""

import json
import tomllib
from pathlib import Path

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


def test_a_gate_that_is_red_already_stays_in_force_and_no_file_is_written_over(project: Project) -> None:
    assert project.shiftwork("init").returncode == 64
    assert "use =" in (project.root / "shiftwork.toml").read_text(encoding="utf-8"), "it was there before"
    committed(project, Makefile=RED_LINT, test_cart_py=GREEN)
    every = {"lint": "make lint", "test": "python3 -m unittest -v"}
    printed = project.shiftwork("init", "--print")
    assert (printed.returncode, printed.stderr) == (0, "")
    assert tomllib.loads(printed.stdout)["gates"] == every
    unchecked = project.shiftwork("init", "--no-check")
    assert (unchecked.returncode, unchecked.stderr) == (0, ""), "nothing is run where that is not wanted"
    assert (project.root / "shiftwork.toml").read_text(encoding="utf-8") == printed.stdout

    bare(project)
    ended = project.shiftwork("init")
    assert ended.returncode == 0, ended
    assert ended.stderr == "running 2 gates on the last commit (--no-check leaves that out)\n"
    lines = [line.strip() for line in ended.stdout.splitlines()]
    assert "red: cart.py:1: unused import" in lines
    assert any(line.startswith("passed ") for line in lines)
    assert lines[-1] == "wrote shiftwork.toml; look it over, commit it, then: shiftwork doctor"
    assert written(project)["gates"] == every, "a red gate stays in force"
    text = (project.root / "shiftwork.toml").read_text(encoding="utf-8")
    assert '\nlint = "make lint"  # red on main already: cart.py:1: unused import\n' in text
    # What was written is trusted: the user has asked for it.
    assert "you have trusted shiftwork.toml" in project.shiftwork("doctor", SHIFTWORK_TRUST="").stdout

    document = json.loads(project.shiftwork("init", "--force", "--json").stdout)
    assert (document["checked_on"], document["not_checked"]) == ("main", "")
    assert {gate["name"]: (gate["passed"], gate["reason"]) for gate in document["gates"]} == {
        "lint": (False, "red on main already: cart.py:1: unused import"),
        "test": (True, ""),
    }


def test_what_cannot_be_tried_is_written_all_the_same_in_files_like_the_users_own(
    project: Project, tmp_path: Path
) -> None:
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

    empty = tmp_path / "empty"
    empty.mkdir()
    project.git("init", "-q", "-b", "main", str(empty))
    (empty / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")
    ended = project.shiftwork("-C", str(empty), "init")
    assert ended.returncode == 0, ended
    assert "not run: " in ended.stdout, "nothing can be run in it"
    assert 'test = "make test"' in (empty / "shiftwork.toml").read_text(encoding="utf-8")

    for words in (("init", "--prd"), ("workflow", "new", "own")):
        assert project.shiftwork(*words).returncode == 0
    made = [project.root / "shiftwork.toml", project.root / "prd.json", *project.root.rglob("own.y*ml")]
    assert {file.stat().st_mode for file in made} == {(project.root / "README").stat().st_mode}
    assert len(made) == 3


def test_a_project_without_any_check_ends_with_1_and_says_so(project: Project) -> None:
    bare(project)
    for name in ("Makefile", "test_cart.py"):
        (project.root / name).unlink(missing_ok=True)
    ended = project.shiftwork("init")
    assert ended.returncode == 1, ended
    assert "you have no gates now: until [gates] names one" in ended.stdout
