"""Changes to tests on real git: which files are touched, and the candidate with the base's version of them."""

import asyncio

import pytest

from shiftwork.adapters.workspace.gates.protection import BYTES, GitProtecting
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.tampering.findings import Patch, Protection, Touched
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


def files(user: GitUser, commit: Commit) -> dict[str, str]:
    names = hub_git(user, "ls-tree", "-r", "--name-only", commit).splitlines()
    return {name: hub_git(user, "show", f"{commit}:{name}") for name in names}


def test_touched_paths_are_reported_with_what_became_of_them(
    user: GitUser, base: Commit, protecting: Protecting
) -> None:
    user.git("rm", "--quiet", "tests/b.py")
    tip = user.commit("change", {"tests/a.py": "assert 0\n", "tests/new.py": "assert 2\n"})
    assert set(asyncio.run(protecting.touched(base, tip))) == {
        Touched(path="tests/a.py", letter="M"),
        Touched(path="tests/b.py", letter="D"),
        Touched(path="tests/new.py", letter="A"),
    }
    assert asyncio.run(protecting.touched(base, base)) == ()


def test_the_patch_is_of_these_paths_alone(user: GitUser, base: Commit, protecting: Protecting) -> None:
    tip = user.commit("change", {"tests/a.py": "assert 0\n", "tests/ü[*].py": "new\n", "conf.py": "y\n"})
    patch = asyncio.run(protecting.patch(base, tip, ["tests/a.py", "tests/ü[*].py"]))
    assert "-assert 1\n+assert 0\n" in patch.text
    assert "+++ b/tests/ü[*].py\n" in patch.text
    assert "conf.py" not in patch.text
    assert not patch.unread
    assert asyncio.run(protecting.patch(base, tip, [])) == Patch()


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


def test_it_is_reported_where_links_lead(user: GitUser, base: Commit, protecting: Protecting) -> None:
    for name, target in (("out.py", "../elsewhere.py"), ("conf.py", "tests/ü.py"), ("same.py", "../elsewhere.py")):
        (user.root / name).unlink(missing_ok=True)
        (user.root / name).symlink_to(target)
        user.git("add", name)
    tip = user.commit("change", {"tests/a.py": "assert 0\n"})
    assert set(asyncio.run(protecting.touched(base, tip))) == {
        Touched(path="conf.py", letter="T", link="tests/ü.py"),
        Touched(path="out.py", letter="A", link="../elsewhere.py"),
        Touched(path="same.py", letter="A", link="../elsewhere.py"),
        Touched(path="tests/a.py", letter="M"),
    }
    user.git("rm", "--quiet", "out.py")
    gone = user.commit("gone", {"tests/a.py": "assert 1\n"})
    assert Touched(path="out.py", letter="D") in asyncio.run(protecting.touched(tip, gone))


def test_changed_and_deleted_files_come_back_and_new_ones_stay_or_pass(
    user: GitUser, base: Commit, protecting: Protecting
) -> None:
    user.git("rm", "--quiet", "tests/b.py")
    changed = {
        "tests/a.py": "assert 0\n",
        "tests/new.py": "assert 2\n",
        "conftest.py": "trick\n",
        "src/a.txt": "work\n",
    }
    tip = user.commit("change", changed)
    back = ["tests/a.py", "tests/b.py", "tests/new.py"]
    made = asyncio.run(protecting.restored(base, tip, back, ["conftest.py"]))
    found = files(user, made)
    assert (found["tests/a.py"], found["tests/b.py"]) == ("assert 1", "assert 2")
    assert (found["tests/new.py"], found["src/a.txt"]) == ("assert 2", "work")
    assert "conftest.py" not in found
    assert files(user, tip)["tests/a.py"] == "assert 0", "what is to land stays as it is"
    again = asyncio.run(protecting.restored(base, tip, back, ["conftest.py"]))
    assert hub_git(user, "rev-parse", f"{made}^{{tree}}") == hub_git(user, "rev-parse", f"{again}^{{tree}}")


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


def test_a_file_in_the_place_of_a_folder_of_tests_gives_way(
    user: GitUser, base: Commit, protecting: Protecting
) -> None:
    user.git("rm", "-r", "--quiet", "tests")
    tip = user.commit("change", {"tests": "no longer a folder\n"})
    made = asyncio.run(protecting.restored(base, tip, ["tests/a.py", "tests/b.py"], []))
    assert files(user, made)["tests/a.py"] == "assert 1"
    assert "tests" not in files(user, made)


def test_what_is_as_the_base_has_it_is_left_alone(user: GitUser, base: Commit, protecting: Protecting) -> None:
    tip = user.commit("change", {"src/a.txt": "work\n"})
    assert asyncio.run(protecting.restored(base, tip, ["tests/a.py", "src/none.py"], ["conftest.py"])) == tip


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


KEYED = {
    "package.json": '{"scripts": {"test": "jest"}, "dependencies": {}}',
    "pyproject.toml": '[project]\nname = "shop"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
    "setup.cfg": "[metadata]\nname = shop\n\n[tool:pytest]\naddopts = -q\n",
}


@pytest.mark.parametrize(
    ("name", "story", "expected"),
    [
        ("package.json", '{"scripts": {"test": "true"}, "dependencies": {}}', KEYED["package.json"]),
        (
            "package.json",
            '{"scripts": {"test": "true"}, "dependencies": {"left": "1"}}',
            '{\n  "dependencies": {\n    "left": "1"\n  },\n  "scripts": {\n    "test": "jest"\n  }\n}',
        ),
        ("package.json", '{"scripts": ', KEYED["package.json"]),
        ("package.json", "[1]", KEYED["package.json"]),
        ("package.json", '{"a": "' + "x" * 5_000_000 + '"}', KEYED["package.json"]),
        ("package.json", "[" * 100_000, KEYED["package.json"]),
        (
            "pyproject.toml",
            '[project]\nname = "shop"\nversion = "2"\n[tool]\npytest.ini_options = {addopts = "--co"}\n',
            '[project]\nname = "shop"\nversion = "2"\n\n[tool.pytest.ini_options]\naddopts = "-q"',
        ),
        (
            "setup.cfg",
            "[metadata]\nname = store\n[tool:pytest]\naddopts = --co\n",
            "[metadata]\nname = store\n\n[tool:pytest]\naddopts = -q\n",
        ),
    ],
)
def test_runner_settings_are_the_base_s(
    user: GitUser, protecting: Protecting, name: str, story: str, expected: str
) -> None:
    before = user.commit("settings", KEYED)
    tip = user.commit("change", {name: story, "a.py": "a\n"})
    made = asyncio.run(protecting.keyed(before, tip, list(KEYED)))
    assert files(user, made) == {**files(user, tip), name: expected}


def test_where_no_runner_setting_differs_the_commit_stays_as_it_is(user: GitUser, protecting: Protecting) -> None:
    before = user.commit("settings", KEYED)
    tip = user.commit("change", {"package.json": '{"scripts": {"test": "jest"}, "dependencies": {"left": "1"}}'})
    assert asyncio.run(protecting.keyed(before, tip, list(KEYED))) == tip
    assert asyncio.run(protecting.keyed(before, tip, [])) == tip


def test_a_file_that_is_gone_leaves_its_runner_settings_and_a_new_one_has_none(
    user: GitUser, protecting: Protecting
) -> None:
    before = user.commit("settings", {"package.json": KEYED["package.json"]})
    user.git("rm", "--quiet", "package.json")
    tip = user.commit("change", {"pyproject.toml": KEYED["pyproject.toml"]})
    made = files(user, asyncio.run(protecting.keyed(before, tip, list(KEYED))))
    assert made["package.json"] == '{\n  "scripts": {\n    "test": "jest"\n  }\n}'
    assert made["pyproject.toml"] == '[project]\nname = "shop"\n\n[tool]'
