"""The ports Protecting, CommitInspector and Changes: what differs, and what is in a commit."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.core.patch import FileChange
from shiftwork.domain.core.patch import Patch as StoryPatch
from shiftwork.domain.proof.verdict import FileFound, NameFound
from shiftwork.domain.tampering.findings import Patch, Protection, Touched
from shiftwork.domain.tampering.inspect import inspect
from shiftwork.errors import RepositoryError
from tests.conformance.workspace.ports.stage import FIRST, Stage

GONE = Commit("1" * 40)
BASE = {"tests/a.py": "assert 1\n", "tests/b.py": "assert 2\n", "conf.py": "x\n"}


@pytest.fixture
def base(stage: Stage) -> Commit:
    return stage.commit(BASE)


# Protecting ----------------------------------------------------------------------------------------------------------


def test_touched_paths_are_reported_with_what_became_of_them(stage: Stage, base: Commit) -> None:
    tip = stage.commit({"tests/a.py": "assert 0\n", "tests/b.py": None, "tests/new.py": "assert 2\n"})
    assert list(stage.run(stage.ports.protecting.touched(base, tip))) == [
        Touched(path="tests/a.py", letter="M"),
        Touched(path="tests/b.py", letter="D"),
        Touched(path="tests/new.py", letter="A"),
    ]
    assert not stage.run(stage.ports.protecting.touched(base, base))


def test_the_size_of_files_of_a_megabyte_and_more_is_reported(stage: Stage, base: Commit) -> None:
    tip = stage.commit({"large.txt": "x" * 1_000_000, "small.txt": "x" * 999_999})
    large, small = Touched(path="large.txt", letter="A", size=1_000_000), Touched(path="small.txt", letter="A")
    assert list(stage.run(stage.ports.protecting.touched(base, tip))) == [large, small]
    gone = stage.commit({"large.txt": None})
    assert list(stage.run(stage.ports.protecting.touched(tip, gone))) == [Touched(path="large.txt", letter="D")]


def test_it_is_reported_where_links_lead(stage: Stage, base: Commit) -> None:
    links = {"out.py": "../elsewhere.py", "conf.py": "tests/ü.py", "same.py": "../elsewhere.py"}
    tip = stage.commit({**{name: Path(target) for name, target in links.items()}, "tests/a.py": "assert 0\n"})
    assert set(stage.run(stage.ports.protecting.touched(base, tip))) == {
        Touched(path="conf.py", letter="T", link="tests/ü.py"),
        Touched(path="out.py", letter="A", link="../elsewhere.py"),
        Touched(path="same.py", letter="A", link="../elsewhere.py"),
        Touched(path="tests/a.py", letter="M"),
    }
    gone = stage.commit({"out.py": None})
    assert list(stage.run(stage.ports.protecting.touched(tip, gone))) == [Touched(path="out.py", letter="D")]


def test_the_patch_is_of_these_paths_alone_and_in_their_order(stage: Stage, base: Commit) -> None:
    changed = {"tests/a.py": "assert 0\n", "tests/ü[*].py": "new\nend", "conf.py": "y\n", "raw.js": "// \0\nexit()\n"}
    tip = stage.commit({**changed, "tests/b.py": None})
    patch = stage.run(
        stage.ports.protecting.patch(base, tip, ["raw.js", "tests/a.py", "tests/b.py", "tests/ü[*].py", "none"])
    )
    shown = [line for line in patch.text.splitlines() if not line.startswith(("diff ", "index ", "new ", "deleted "))]
    assert set(shown) == {
        *("--- /dev/null", "+++ b/raw.js", "@@ -0,0 +1,2 @@", "+// \0", "+exit()"),
        *("--- a/tests/a.py", "+++ b/tests/a.py", "@@ -1 +1 @@", "-assert 1", "+assert 0"),
        *("--- a/tests/b.py", "+++ /dev/null", "@@ -1 +0,0 @@", "-assert 2"),
        *("+++ b/tests/ü[*].py", "+new", "+end", "\\ No newline at end of file"),
    }
    assert not patch.unread
    assert stage.run(stage.ports.protecting.patch(base, tip, [])) == Patch()


def test_a_patch_is_understood_by_those_who_inspect_it(stage: Stage, base: Commit) -> None:
    tip = stage.commit({"tests/a b.py": "import os\nos._exit(0)\n", "tests/b.py": None})
    touched = stage.run(stage.ports.protecting.touched(base, tip))
    patch = stage.run(stage.ports.protecting.patch(base, tip, [change.path for change in touched]))
    assert inspect(touched, patch, Protection()).message == "1 deleted, 1 added, 1 left early (tests/a b.py)"


def test_changed_and_deleted_files_come_back_and_new_ones_stay_or_pass(stage: Stage, base: Commit) -> None:
    changed = {"tests/a.py": "assert 0\n", "tests/new.py": "assert 2\n", "conftest.py": "x\n", "src/a.txt": "work\n"}
    tip = stage.commit({**changed, "tests/b.py": None})
    back = ["tests/a.py", "tests/b.py", "tests/new.py"]
    made = stage.run(stage.ports.protecting.restored(base, tip, back, ["conftest.py"]))
    assert stage.files(made) == {**FIRST, **BASE, "tests/new.py": "assert 2\n", "src/a.txt": "work\n"}
    assert stage.files(tip)["tests/a.py"] == "assert 0\n", "what is to land stays as it is"
    again = stage.run(stage.ports.protecting.restored(base, tip, back, ["conftest.py"]))
    assert stage.project.find_tree(made) == stage.project.find_tree(again)


def test_a_file_in_the_place_of_a_folder_of_tests_gives_way(stage: Stage, base: Commit) -> None:
    stage.commit({"tests/a.py": None, "tests/b.py": None})
    tip = stage.commit({"tests": "no longer a folder\n"})
    made = stage.run(stage.ports.protecting.restored(base, tip, ["tests/a.py", "tests/b.py"], []))
    assert stage.files(made) == {**FIRST, **BASE}


def test_what_is_as_the_base_has_it_is_left_alone(stage: Stage, base: Commit) -> None:
    tip = stage.commit({"src/a.txt": "work\n"})
    assert stage.run(stage.ports.protecting.restored(base, tip, ["tests/a.py", "src/none.py"], ["conftest.py"])) == tip


def test_what_was_left_out_may_be_kept_again(stage: Stage, base: Commit) -> None:
    tip = stage.commit({"AGENTS.md": "Obey.\n"})
    for _ in range(2):
        work = stage.ports.protecting.keep_left_out(RunId("r"), StoryId("US-001"), (base, tip), ["AGENTS.md"])
        stage.run(work)


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
            '{\n  "dependencies": {\n    "left": "1"\n  },\n  "scripts": {\n    "test": "jest"\n  }\n}\n',
        ),
        ("package.json", '{"scripts": ', KEYED["package.json"]),
        ("package.json", "[1]", KEYED["package.json"]),
        ("package.json", '{"a": "' + "x" * 5_000_000 + '"}', KEYED["package.json"]),
        ("package.json", "[" * 100_000, KEYED["package.json"]),
        (
            "pyproject.toml",
            '[project]\nname = "shop"\nversion = "2"\n[tool]\npytest.ini_options = {addopts = "--co"}\n',
            '[project]\nname = "shop"\nversion = "2"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
        ),
        (
            "setup.cfg",
            "[metadata]\nname = store\n[tool:pytest]\naddopts = --co\n",
            "[metadata]\nname = store\n\n[tool:pytest]\naddopts = -q\n\n",
        ),
    ],
)
def test_runner_settings_are_the_base_s(stage: Stage, name: str, story: str, expected: str) -> None:
    before = stage.commit(KEYED)
    tip = stage.commit({name: story, "a.py": "a\n"})
    made = stage.run(stage.ports.protecting.keyed(before, tip, list(KEYED)))
    assert stage.files(made) == {**stage.files(tip), name: expected}


def test_where_no_runner_setting_differs_the_commit_stays_as_it_is(stage: Stage) -> None:
    before = stage.commit(KEYED)
    tip = stage.commit({"package.json": '{"scripts": {"test": "jest"}, "dependencies": {"left": "1"}}'})
    assert stage.run(stage.ports.protecting.keyed(before, tip, list(KEYED))) == tip
    assert stage.run(stage.ports.protecting.keyed(before, tip, [])) == tip


def test_a_file_that_is_gone_leaves_its_runner_settings_and_a_new_one_has_none(stage: Stage) -> None:
    before = stage.commit({"package.json": KEYED["package.json"]})
    tip = stage.commit({"package.json": None, "pyproject.toml": KEYED["pyproject.toml"]})
    made = stage.files(stage.run(stage.ports.protecting.keyed(before, tip, list(KEYED))))
    assert made["package.json"] == '{\n  "scripts": {\n    "test": "jest"\n  }\n}\n'
    assert made["pyproject.toml"] == '[project]\nname = "shop"\n\n[tool]\n'


# CommitInspector -----------------------------------------------------------------------------------------------------

LINES = st.lists(st.sampled_from(["alpha", "beta", "gamma", "", "@@ -1 +1 @@", "+++ b/x"]), max_size=30)


def in_order(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(line in rest for line in part)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=LINES, after=LINES, open_end=st.booleans())
def test_what_is_not_called_written_was_there_before(
    stage: Stage, before: list[str], after: list[str], *, open_end: bool
) -> None:
    text = "\n".join(after) if open_end else "".join(f"{line}\n" for line in after)
    base = stage.commit({"f.txt": "".join(f"{line}\n" for line in before)})
    tip = stage.commit({"f.txt": text})
    (found,) = stage.run(stage.ports.inspector.look(base, tip, ["f.txt"], [])).files
    lines = text.split("\n") if text else []
    lines = lines[:-1] if text.endswith("\n") else lines
    written = {line for first, last in found.changed for line in range(first, last + 1)}
    assert found.lines == len(lines)
    assert written <= set(range(1, len(lines) + 1))
    assert in_order([line for number, line in enumerate(lines, start=1) if number not in written], before)
    if before == lines and not open_end:
        assert not written


def test_only_text_files_that_are_in_the_commit_are_found(stage: Stage) -> None:
    base = stage.tip
    tip = stage.commit({"a/b.txt": "one\ntwo", "raw": b"\0\1", "weird [x].txt": "x\n", "empty": ""})
    wanted = ["a/b.txt", "./a/b.txt", "a", "raw", "nowhere", "../x", "/etc/passwd", "weird [x].txt", "empty", ""]
    found = stage.run(stage.ports.inspector.look(base, tip, wanted, []))
    assert found.files == (
        FileFound(path="a/b.txt", lines=2, changed=((1, 2),)),
        FileFound(path="weird [x].txt", lines=1, changed=((1, 1),)),
        FileFound(path="empty", lines=0),
    )
    assert found.tree == stage.project.find_tree(tip)


def test_a_test_is_found_where_it_is_defined_and_not_where_it_is_named(stage: Stage) -> None:
    base = stage.tip
    tip = stage.commit(
        {
            "tests/t.py": "def test_a(): ...\n",
            "tests/u.py": "def test_ab(): ...\n",
            "tests/w.py": 'def test_w():\n    warn("test_a passed")\n',
            "price.py": "def test_a(): ...\n",
            "tests/raw.py": "def test_a(): ...\n\0",
        }
    )
    found = stage.run(stage.ports.inspector.look(base, tip, [], ["test_a", "test_.", "test_b", "a\nb"]))
    assert found.names == (
        NameFound(name="test_a", files=("tests/t.py",)),
        NameFound(name="test_."),
        NameFound(name="test_b"),
        NameFound(name="a\nb"),
    )


def test_a_test_that_the_base_defines_in_that_file_already_is_reported_from_a_new_one(stage: Stage) -> None:
    base = stage.commit({"tests/t.py": "def test_old(): ...\n# test_new\n", "tests/u.py": "def test_moved(): ...\n"})
    written = "def test_old():\n    assert 1\ndef test_new(): ...\ndef test_moved(): ...\n"
    tip = stage.commit({"tests/t.py": written})
    found = stage.run(stage.ports.inspector.look(base, tip, [], ["test_old", "test_new", "test_moved"]))
    assert found.names == (
        NameFound(name="test_old", files=("tests/t.py",), before=("tests/t.py",)),
        NameFound(name="test_new", files=("tests/t.py",)),
        NameFound(name="test_moved", files=("tests/t.py", "tests/u.py"), before=("tests/u.py",)),
    )


def test_a_commit_has_parents_and_a_message(stage: Stage, base: Commit) -> None:
    inspector = stage.ports.inspector
    tip = stage.project.commit_files({}, "work\n\nNoted-By: a test")
    assert stage.run(inspector.parents_and_message(tip)) == ((base,), "work\n\nNoted-By: a test\n")
    for work in (inspector.parents_and_message(GONE), inspector.look(GONE, tip, [], [])):
        with pytest.raises(RepositoryError, match="does not exist"):
            stage.run(work)


def test_a_commit_is_reverted_by_the_one_that_says_so_until_that_is_reverted_itself(stage: Stage, base: Commit) -> None:
    def revert(commit: Commit) -> Commit:
        return stage.project.commit_files({}, f"Revert it\n\nThis reverts commit {commit}.")

    def reverted(commit: Commit) -> str:
        return stage.run(stage.ports.inspector.revert_of(commit, "refs/heads/main"))

    stage.project.commit_files({}, f"see: This reverts commit {base}")
    assert not reverted(base), "a mention is no revert"
    first = revert(base)
    assert reverted(base) == first
    second = revert(first)
    assert (reverted(base), reverted(first)) == ("", second)
    assert reverted(base) == "" != revert(base) == reverted(base)


def test_a_commit_is_on_the_branch_itself_or_where_that_is_gone_on_another_one(stage: Stage) -> None:
    def branch(commit: Commit, name: str) -> str:
        return stage.run(stage.ports.inspector.branch_with(commit, name))

    base = stage.tip
    stage.project.set_branch("before", "main")
    tip = stage.commit({"a": "a\n"})
    assert branch(base, "before") == "refs/heads/before"
    assert not branch(tip, "before"), "it is there, and has it not"
    assert branch(tip, "gone") == "refs/heads/main"
    assert branch(GONE, "main") == branch(GONE, "gone") == ""


def test_a_change_affects_old_and_new_names_and_the_links_that_lead_there(stage: Stage) -> None:
    affected = stage.ports.inspector.affected
    links = {"api/lib": Path("../shared"), "api/other": Path("../README.md")}
    base = stage.commit({**links, "shared/a.py": "a\n", "web/b.py": "b\n", "gone.txt": "g\n"})
    assert not stage.run(affected(base, base))
    moved = stage.commit({"shared/a.py": None, "shared/c.py": "a\n", "gone.txt": None})
    assert sorted(stage.run(affected(base, moved))) == ["api/lib/", "gone.txt", "shared/a.py", "shared/c.py"]


def test_what_is_or_was_no_file_stands_for_everything_below_it(stage: Stage) -> None:
    affected = stage.ports.inspector.affected
    base = stage.commit({"web/b.py": "b\n"})
    stage.commit({"web/b.py": None})
    linked = stage.commit({"web": Path("src")})
    for sides in ((base, linked), (linked, base)):
        assert sorted(stage.run(affected(*sides))) == ["web/", "web/b.py"]


def test_a_link_out_of_the_commit_counts_as_changed_though_nothing_else_did(stage: Stage) -> None:
    base = stage.commit({"out": Path("/etc")})
    tip = stage.commit({"README.md": "new\n"})
    assert sorted(stage.run(stage.ports.inspector.affected(base, tip))) == ["README.md", "out/"]


# Changes -------------------------------------------------------------------------------------------------------------

LONG = [f"line {number}\n" for number in range(40)]


def test_the_difference_of_two_commits_is_counted_and_shown_with_lines_around_it(stage: Stage) -> None:
    stage.commit({"long": "".join(LONG), "gone": "g\n"})
    base = stage.tip
    changed = [*LONG[:9], "nine\n", "more\n", *LONG[10:30], *LONG[31:]]
    tip = stage.commit({"long": "".join(changed), "gone": None, "new": "n\n", "raw": b"\0"})
    found = stage.run(stage.ports.changes.between(base, tip))
    assert stage.run(stage.ports.changes.between(Commit(""), tip)) == found, "the parent is meant"
    assert sorted(found.files, key=lambda change: change.path) == [
        FileChange(path="gone", added=0, removed=1),
        FileChange(path="long", added=2, removed=2),
        FileChange(path="new", added=1, removed=0),
        FileChange(path="raw", added=None, removed=None),
    ]
    lines = found.patch.splitlines()
    assert "-line 9\n+nine\n+more\n line 10\n line 11\n line 12\n" in found.patch
    assert [line.partition(" @@")[0] for line in lines if line.startswith("@@ -7")] == ["@@ -7,7 +7,8"]
    assert "Binary files /dev/null and b/raw differ" in lines
    assert {"--- a/gone", "+++ /dev/null", "+++ b/new", "+n", "-g"} <= set(lines)


def test_the_beginning_of_a_patch_has_whole_lines(stage: Stage) -> None:
    base = stage.tip
    tip = stage.commit({"new": "".join(LONG)})
    whole = stage.run(stage.ports.changes.between(base, tip)).patch
    beginning = stage.ports.changes.beginning
    everything = stage.run(beginning(base, tip, len(whole)))
    assert (everything.patch, everything.cut) == (whole, False)
    part = stage.run(beginning(base, tip, len(whole) - 1))
    assert (part.patch, part.cut) == ("".join(whole.splitlines(keepends=True)[:-1]), True)


def test_what_is_new_since_an_approval_is_without_the_changes_of_others(stage: Stage) -> None:
    base = stage.tip
    approved = StoryPatch(base=base, commit=stage.commit({"new": "n\n"}, on=base))
    moved = stage.commit({"theirs": "t\n"})
    candidate = StoryPatch(base=moved, commit=stage.commit({"new": "n\n", "README.md": "repaired\n"}, on=moved))
    found = stage.run(stage.ports.changes.since(approved, candidate))
    assert [change.path for change in found.files] == ["README.md"]
    assert "+repaired" in found.patch


def test_where_the_approved_conflicts_its_markers_are_shown(stage: Stage) -> None:
    base = stage.tip
    approved = StoryPatch(base=base, commit=stage.commit({"README.md": "mine\n"}, on=base))
    moved = stage.commit({"README.md": "theirs\n"})
    candidate = StoryPatch(base=moved, commit=stage.commit({"README.md": "both\n"}, on=moved))
    patch = stage.run(stage.ports.changes.since(approved, candidate)).patch.splitlines()
    assert {"+both", "-mine", "-theirs"} <= set(patch)
    assert any(line.startswith("-<<<<<<< ") for line in patch)


def test_a_commit_that_no_longer_exists_has_no_changes(stage: Stage) -> None:
    changes, here = stage.ports.changes, StoryPatch(base=stage.tip, commit=stage.tip)
    for work in (
        changes.between(stage.tip, GONE),
        changes.beginning(GONE, stage.tip, 10),
        changes.since(here, StoryPatch(base=stage.tip, commit=GONE)),
    ):
        with pytest.raises(RepositoryError, match="no longer exists"):
            stage.run(work)
