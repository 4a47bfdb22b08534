"""Changes to tests on real git: which files are touched, and the candidate with the base's version of them."""

import asyncio

import pytest

from shiftwork.adapters.workspace.gates.protection import BYTES, GitProtecting
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.tampering.inspect import inspect
from shiftwork.ports.protecting import Protecting
from shiftwork.testing.git_user import GitUser
from tests.conformance.workspace.git.git_rig import hub_git, hub_of


@pytest.fixture
def protecting(user: GitUser) -> Protecting:
    return GitProtecting(hub=hub_of(user))


@pytest.fixture
def base(user: GitUser) -> Commit:
    return user.commit("tests", {"tests/a.py": "assert 1\n", "tests/b.py": "assert 2\n", "conf.py": "x\n"})


def test_what_is_too_much_is_named_and_hides_nothing_else(user: GitUser, base: Commit, protecting: Protecting) -> None:
    huge = "x" * (BYTES // 2 + 1)
    tip = user.commit("change", {"tests/a.txt": huge, "tests/b.txt": huge, "tests/c.py": "assert 0\n"})
    patch = asyncio.run(protecting.patch(base, tip, ["tests/b.txt", "tests/a.txt", "tests/c.py"]))
    assert patch.unread == ("tests/a.txt",)
    assert "+++ b/tests/b.txt\n" in patch.text
    assert "+++ b/tests/c.py\n" in patch.text


def test_many_files_are_looked_through(user: GitUser, base: Commit, protecting: Protecting) -> None:
    names = [f"tests/test_{number}.py" for number in range(601)]
    for name in names:
        user.write(name, "assert 0\n")
    user.git("add", "tests")
    tip = user.commit("change", {})
    patch = asyncio.run(protecting.patch(base, tip, names))
    assert patch.text.count("+assert 0\n") == len(names)
    assert not patch.unread


@pytest.mark.parametrize(
    "name", ['tests/test_a"b.py', "tests/a\tb\\.py", "tests/\udcff.py", "tests/a b.py", "tests/ü.py"]
)
def test_a_file_is_known_by_its_name_however_odd_that_is(
    user: GitUser, base: Commit, protecting: Protecting, name: str
) -> None:
    tip = user.commit("change", {name: "import os\nos._exit(0)\n"})
    touched = asyncio.run(protecting.touched(base, tip))
    patch = asyncio.run(protecting.patch(base, tip, [change.path for change in touched]))
    assert inspect(touched, patch, Protection()).message.startswith("1 added, 1 left early (")


def test_a_file_that_calls_itself_binary_is_looked_through(user: GitUser, base: Commit, protecting: Protecting) -> None:
    tip = user.commit("change", {".gitattributes": "*.js binary\n", "a.js": "// \0\nprocess.exit(0)\n"})
    assert "+process.exit(0)\n" in asyncio.run(protecting.patch(base, tip, ["a.js"])).text


def test_a_test_comes_back_with_its_mode(user: GitUser, base: Commit, protecting: Protecting) -> None:
    """A runner leaves out a script that cannot be executed."""
    (user.root / "tests/a.py").chmod(0o755)
    user.git("add", "tests/a.py")
    executable = user.commit("executable", {})
    (user.root / "tests/a.py").chmod(0o644)
    user.git("add", "tests/a.py")
    tip = user.commit("change", {"src/a.txt": "work\n"})
    made = asyncio.run(protecting.restored(executable, tip, ["tests/a.py"], []))
    modes = [hub_git(user, "ls-tree", commit, "tests/a.py").partition(" ")[0] for commit in (tip, made)]
    assert modes == ["100644", "100755"]


def test_a_name_that_is_no_text_is_put_back_all_the_same(user: GitUser, base: Commit, protecting: Protecting) -> None:
    odd = "tests/\udcff.py"
    before = user.commit("odd", {odd: "assert 1\n"})
    tip = user.commit("change", {odd: "assert 0\n"})
    (touched,) = asyncio.run(protecting.touched(before, tip))
    assert touched.path == "tests/\ufffd.py"
    made = asyncio.run(protecting.restored(before, tip, [touched.path], []))
    tree = (hub_git(user, "rev-parse", f"{commit}^{{tree}}") for commit in (before, made))
    assert len(set(tree)) == 1
    assert base != before
