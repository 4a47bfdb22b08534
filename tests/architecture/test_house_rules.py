"""House rules that no linter knows: first lines, names, and which modules may change a status."""

import ast
import re
from pathlib import Path

import pytest

from shiftwork import failpoints

ROOT = Path(__file__).resolve().parents[2]
DOMAIN = ROOT / "src/shiftwork/domain"

BANNED = {"Manager", "Service", "Helper", "Util", "Utils", "Base", "Abstract", "Impl", "Info", "Data"}
OF_A_BASE_BRANCH = {"BaseCheck", "BaseMerged", "BaseMissed", "BaseMoved", "MergeBase", "MoveBase"}
"""Names in which a base is a branch that work lands on."""


def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


EVERY = modules("src", "tests", "bench", "scripts")


def test_the_tree_was_found() -> None:
    assert {"src/shiftwork/errors.py", "tests/architecture/test_house_rules.py"} <= {named(path) for path in EVERY}


def first_line(path: Path) -> str:
    found = re.match(r'(?:#[^\n]*\n)*"""(.*)', path.read_text(encoding="utf-8"))
    return found[1] if found else ""


def test_the_first_line_of_a_module_says_what_it_is_for() -> None:
    assert [named(path) for path in EVERY if len(first_line(path).split()) < 3] == []


def classes(path: Path) -> list[str]:
    return re.findall(r"^\s*class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)


def words(name: str) -> set[str]:
    return set(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name))


def test_a_name_is_taken_apart_into_its_words() -> None:
    assert words("HTTPServiceInfo") == {"HTTP", "Service", "Info"}
    assert words("_Database") == {"Database"}


def test_no_class_has_a_name_that_says_nothing() -> None:
    names = {name for path in EVERY for name in classes(path)} - OF_A_BASE_BRANCH
    assert {name for name in names if words(name) & BANNED} == set()


# Statuses ----------------------------------------------------------------------------------------------------------


def status_changes(source: str) -> list[int]:
    """Lines in which a call sets a status or a stage, facts excepted (they record it), or an assignment does."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and not _makes_a_fact(node):
            found += [node.lineno for keyword in node.keywords if keyword.arg in {"status", "stage"}]
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        found += [t.lineno for t in targets if isinstance(t, ast.Attribute) and t.attr in {"status", "stage"}]
        if isinstance(node, ast.Dict):
            keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
            found += [node.lineno for key in keys if key in {"status", "stage"}]
    return found


def _makes_a_fact(call: ast.Call) -> bool:
    made = call.func
    return (
        isinstance(made, ast.Attribute)
        and isinstance(made.value, ast.Name)
        and made.value.id in {"f", "r", "q", "story_facts", "run_facts", "landing_facts"}
    )


@pytest.mark.parametrize(
    "source",
    [
        "replace(step, status=DONE)",
        "Entry(request=r, stage=BUILT)",
        "turn_step(step, trigger, status=DONE)",
        "step.status = DONE",
        "step.stage: str = DONE",
        "replace(step, **{'status': DONE})",
    ],
)
def test_a_status_that_is_changed_by_hand_is_found(source: str) -> None:
    assert status_changes(source) == [1]


def test_a_fact_that_mentions_a_status_is_no_change() -> None:
    assert status_changes("r.RunEnded(at=0, status=RunStatus.FAILED)") == []


@pytest.mark.parametrize("path", sorted(DOMAIN.rglob("*.py")), ids=named)
def test_only_transitions_change_a_status(path: Path) -> None:
    changes = status_changes(path.read_text(encoding="utf-8"))
    assert bool(changes) == (path.name == "transitions.py")


# Failpoints --------------------------------------------------------------------------------------------------------


def test_every_failpoint_that_is_reached_has_a_name_by_which_it_can_be_armed() -> None:
    reached = {
        name
        for path in modules("src")
        for name in re.findall(r'failpoints\.reach\("([^"]+)"\)', path.read_text(encoding="utf-8"))
    }
    assert reached == failpoints.NAMES.keys()


# Patches -------------------------------------------------------------------------------------------------------------

PATCHED = {
    "tests/conformance/processes/test_ending.py": "a process between two programs, and patience of minutes made short",
    "tests/conformance/store/test_written_ahead.py": "the patience with a locked file made short",
    "tests/conformance/workspace/git/test_git.py": "a lock that disappears between two looks at it",
    "tests/durability/test_kill_git.py": "a program in place of git that dies on time: the variables of the rig",
    "tests/unit/bootstrap/test_agent_network.py": "what the process has found out about its machine is forgotten",
    "tests/unit/config/test_homes.py": "another user and another group, which only root can make",
    "tests/unit/config/test_trust.py": "a terminal at which somebody agrees",
}
"""Tests that patch, and what cannot be had otherwise, or only by a wait of minutes. All others use real things."""


def patches(source: str) -> bool:
    """Whether a source uses what pytest patches with."""
    if "monkeypatch" not in source.lower():
        return False
    nodes = list(ast.walk(ast.parse(source)))
    names = {node.arg for node in nodes if isinstance(node, ast.arg)}
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return "monkeypatch" in names or "MonkeyPatch" in used


@pytest.mark.parametrize(
    "source",
    ["def test_it(monkeypatch: object) -> None: ...", "with pytest.MonkeyPatch.context() as patched: ..."],
)
def test_a_patch_is_found(source: str) -> None:
    assert patches(source)


def test_only_listed_tests_patch() -> None:
    found = {named(path) for path in modules("tests", "bench") if patches(path.read_text(encoding="utf-8"))}
    assert found - PATCHED.keys() == set(), "use the real thing, or a fake that passes the port's conformance suite"
    assert PATCHED.keys() - found == set(), "these no longer patch"
