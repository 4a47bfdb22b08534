"""A red gate, wherever a person meets it: its first error with file and line, and a whole log that can be opened."""

import json
from pathlib import Path

from tests.e2e.cli_rig import Project, new_project

TEST = """\
import unittest

from cart import total


class Cart(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
"""
AGENT = """\
cat > /dev/null
echo 'def total(prices):' > cart.py
echo '    return sum(prices) + 1' >> cart.py
echo SUMMARY:
echo "did it"
"""
GATES = """\
test = "python3 -m unittest"

[run]
workflow = "ralph"

[limits]
repairs = 0
"""
WHY = "test_cart.py:8: AssertionError: 4 != 3"
LOG = "whole log: "


def log_of(project: Project, text: str) -> Path:
    """The first log that a text names, below the folder in which it was printed."""
    named = next(line.strip() for line in text.splitlines() if line.strip().startswith(LOG))
    return project.root / named.removeprefix(LOG)


def write_cart(project: Project, total: str) -> None:
    (project.root / "test_cart.py").write_text(TEST)
    (project.root / "cart.py").write_text(f"def total(prices):\n    return {total}\n")
    project.git("add", "-A")
    project.git("commit", "-qm", "a cart")


def test_every_front_end_shows_the_first_error_and_a_log_that_is_there(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    write_cart(project, "sum(prices)")
    project.settle(agent=AGENT, gates=GATES)
    ran = project.shiftwork("run", "Change the total")
    assert ran.returncode == 1, ran.stderr
    assert "gates: test failed in" in ran.stdout
    assert ran.stdout.count(WHY) >= 2, "in the line of the gates, and in the summary"
    for command in (("status",), ("logs", "--gates"), ("stories",)):
        shown = project.shiftwork(*command).stdout
        assert WHY in shown, command
        log = log_of(project, shown)
        assert not Path(str(log)).is_relative_to("/proc")
        assert "FAILED (failures=1)" in log.read_text(), command
    proof = project.shiftwork("proof", "US-001")
    assert WHY in proof.stderr
    assert log_of(project, proof.stderr).is_file()
    (story,) = json.loads(project.shiftwork("status", "--json").stdout)["stories"]
    assert story["failure_line"] == WHY
    assert Path(story["failure_log"]).is_file()
    *_, run = json.loads(project.shiftwork("logs", "--gates", "--json").stdout)["gate_runs"]
    (gate,) = run["gate_results"]
    assert gate["first_error"] == {"file": "test_cart.py", "line": 8, "message": "AssertionError: 4 != 3"}
    assert gate["failed_tests"] == ["test_cart.Cart.test_total"]
    assert Path(gate["log"]).is_file()


def test_a_red_branch_is_explained_before_any_work(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    write_cart(project, "sum(prices) + 1")
    project.settle(agent=AGENT, gates=GATES)
    for command in (("run", "Change the total"), ("doctor", "--gates")):
        answered = project.shiftwork(*command)
        printed = answered.stdout + answered.stderr
        assert answered.returncode == 1
        assert WHY in printed, command
        assert "FAILED (failures=1)" in log_of(project, printed).read_text(), command
