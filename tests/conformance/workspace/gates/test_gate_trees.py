"""Trees of the gates are used again; nothing that code left in them affects the next check."""

import asyncio
import shutil
from pathlib import Path

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.ports.workspace import Gates
from shiftwork.testing.git_user import GitUser
from tests.conformance.workspace.gates.gates_rig import MARKER, Opened, check, meeting, outputs

LOOK = "find . -path ./.git -prune -o -print | sort"
"""All files there. A passed command is not run again: to look twice, add something else to the command."""

COMMITTED = ".\n./.gitignore\n./README.md\n./src\n./src/a.txt"
WITH_DEPS = ".\n./.gitignore\n./README.md\n./deps\n./deps/d\n./src\n./src/a.txt"


@pytest.fixture
def commit(user: GitUser) -> Commit:
    return user.commit("ignores more", {".gitignore": "*.log\n__pycache__/\ndeps/\nbuild/\n"})


def counting(user: GitUser, setup: str) -> tuple[str, Path]:
    """The setup command, and the file in which it records that it ran."""
    runs = user.home / "setups"
    runs.write_text("")
    return f"echo x >> {runs}; {setup}", runs


# What a check leaves behind ---------------------------------------------------------------------------------------

DEEP = "for i in 1 2; do folder=$(printf 'build/%.0s' $(seq 600)); mkdir -p $folder; cd -P $folder; done"
"""Deeper than the longest path, and than the deepest recursion."""

POISON = [
    "echo p > kept.log",
    "mkdir __pycache__; echo p > __pycache__/price.pyc",
    "mkdir src/__pycache__; echo p > src/__pycache__/price.pyc",
    "mkdir -p build/empty/folder",
    "mkdir -p deps/.git; echo p > deps/.git/config",
    "ln -s /etc build; ln -s nowhere src/x.log; ln -s . deps",
    "mkdir build; mkfifo build/pipe",
    "mkdir -p build/a/b; echo p > build/a/b/c; chmod -R a-rwx build",
    r"""touch -- "$(printf 'a\377\nb.log')" '-rf.log' ' .log' """,
    f"cd src; {DEEP}; echo p > x.log",
]


@pytest.mark.parametrize("poison", POISON)
def test_nothing_ignored_is_left_for_the_next_check(gates: Gates, commit: Commit, poison: str) -> None:
    assert not check(gates, commit, f"{poison}; exit 1").passed
    for again in (LOOK, f"{LOOK}; true"):
        assert outputs(check(gates, commit, again)) == [COMMITTED]


def test_what_is_to_be_kept_is_there_for_the_next_check(opened: Opened, commit: Commit) -> None:
    for setup in ("", "mkdir -p deps; echo d > deps/d"):
        gates = opened(setup, "build", "deps/cache")
        mine = "mkdir -p build deps/cache __pycache__; echo b > build/b; echo c > deps/cache/c; echo p > __pycache__/p"
        assert check(gates, commit, mine).passed
        found = outputs(check(gates, commit, LOOK))[0].splitlines()
        assert "./build/b" in found
        assert "./deps/cache/c" in found
        assert "./__pycache__" not in found


def test_the_second_try_of_a_red_gate_finds_nothing_of_the_first(gates: Gates, commit: Commit) -> None:
    """As for the check that distinguishes a flaky gate from a broken gate."""
    gate = "test -e build/passed || { mkdir build; touch build/passed; exit 1; }"
    assert [check(gates, commit, gate).passed for _ in range(3)] == [False, False, False]


def test_the_run_with_other_tests_finds_nothing_of_the_first(user: GitUser, gates: Gates, commit: Commit) -> None:
    edited = user.commit("edited", {"src/test.sh": "mkdir src/__pycache__; touch src/__pycache__/passed\n"})
    base = user.commit("as it was", {"src/test.sh": "test -e src/__pycache__/passed\n"})
    assert check(gates, edited, "sh src/test.sh").passed
    assert not check(gates, base, "sh src/test.sh").passed
    assert check(gates, commit, "test ! -e src/test.sh").passed


def test_a_link_to_a_folder_that_was_moved_away_is_no_folder_of_the_commit(user: GitUser, gates: Gates) -> None:
    """The files in it are the same to git, which looks no further than that."""
    first = user.at("main")
    assert check(gates, first, f"mv src {user.home}/moved; ln -s {user.home}/moved src").passed
    assert check(gates, first, "test ! -L src && cat src/a.txt").passed


def test_two_trees_in_parallel_are_each_held_to_what_was_set_up(user: GitUser, opened: Opened, commit: Commit) -> None:
    setup, runs = counting(user, "mkdir deps; pwd > deps/d")
    gates = opened(setup)

    def asked(number: int) -> Gate:
        together = meeting(user, str(number))
        return Gate(name="g", command=f"{together}; {LOOK}; cat deps/d; touch build.log; : {number}")

    async def together(number: int) -> list[GateReport]:
        gate = asked(number)
        checks = (gates.check(commit, [gate], f"{MARKER}-{n}") for n in range(2))
        return list(await asyncio.gather(*checks))

    for number in range(2):
        found = {outputs(report)[0] for report in asyncio.run(together(number))}
        trees = [user.cache / "workspaces" / f"verify-{n}" for n in (1, 2)]
        assert found == {f"{WITH_DEPS}\n{tree}" for tree in trees}
    assert runs.read_text() == "x\n", "both have copies of one environment, each with its own path in it"


# Between the gates of one check -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        "echo forged > README.md",
        "echo forged > README.md; touch -r src/a.txt README.md; git add -A; git update-index --skip-worktree README.md",
        "rm -r src README.md",
        "echo '*' > .gitignore; echo forged > more.txt",
        "echo forged > src/more.txt; mkdir src/empty",
        "git init -q src; git init -q nested; echo forged > nested/file",
        "git config core.fsmonitor 'echo forged; false'; git checkout -q --orphan other",
        "mv src build; ln -s build src",
        f"{DEEP.replace('build', 'forged')}; echo forged > file",
        "rm -rf ../verify-1",
    ],
)
def test_the_next_gate_sees_the_commit_whatever_the_last_one_did(gates: Gates, commit: Commit, change: str) -> None:
    look = f"{LOOK}; cat README.md; git log -1 --format=%H; git status --porcelain --untracked-files=all"
    report = check(gates, commit, change, look)
    assert outputs(report)[1] == f"{COMMITTED}\nhello\n{commit}"


def test_what_a_gate_has_built_is_there_for_the_next_one_of_the_same_check(gates: Gates, commit: Commit) -> None:
    built = "mkdir -p build/deep deps; echo b > build/deep/file; echo k > src/kept.log; echo forged > README.md"
    use = "cat build/deep/file src/kept.log README.md; test -d deps"
    report = check(gates, commit, built, use, f"{use}; true")
    assert (report.passed, outputs(report)[1:]) == (True, ["b\nk\nhello"] * 2)
    assert outputs(check(gates, commit, LOOK)) == [COMMITTED]


def test_a_verification_step_sees_the_commit_and_what_was_built(gates: Gates, commit: Commit) -> None:
    def step(name: str, **more: str) -> Gate:
        kind = VerificationKind.SHELL if "command" in more else VerificationKind.FILE_EXISTS
        verification = Verification(id=name, kind=kind, **more)  # type: ignore[arg-type]
        return Gate(name=name, command="", step=verification)

    asked = [
        Gate(name="gate", command="mkdir build; touch build/out forged.txt; echo forged > README.md"),
        step("built", path="build/out"),
        step("forged", path="forged.txt"),
        step("committed", command="grep hello README.md && echo forged > README.md"),
        step("again", command="grep hello README.md"),
    ]
    report = asyncio.run(gates.check(commit, asked, MARKER))
    assert {result.name: result.passed for result in report.results} == {
        "gate": True,
        "built": True,
        "forged": False,
        "committed": True,
        "again": True,
    }


# What the setup command has made ------------------------------------------------------------------------------------


def test_what_was_set_up_stays_and_is_not_set_up_again(user: GitUser, opened: Opened, commit: Commit) -> None:
    made = "mkdir -p deps/empty deps/bin; echo d > deps/d; ln -s ../d deps/bin/d; ln deps/d deps/hard"
    setup, runs = counting(user, f"{made}; chmod 500 deps/bin")
    gates = opened(setup)
    look = "cat deps/bin/d; find deps | sort"
    poisons = ("true", "touch deps/more", "mkdir deps/empty/x", "chmod u+w deps/bin; touch deps/bin/x")
    for number, poison in enumerate(poisons):
        report = check(gates, commit, f"{look}; {poison}; : {number}")
        assert outputs(report) == ["d\ndeps\ndeps/bin\ndeps/bin/d\ndeps/d\ndeps/empty\ndeps/hard"]
    other = user.commit("other", {"README.md": "other\n"})
    assert outputs(check(gates, other, "cat deps/d README.md")) == ["d\nother"]
    assert runs.read_text() == "x\n"


@pytest.mark.parametrize(
    "change",
    [
        "echo D > deps/d",
        "echo D > deps/d; touch -d @1 deps/d",
        "rm deps/d",
        "rm -r deps",
        "chmod a-r deps/d",
        "rm deps/d; ln -s ../README.md deps/d",
        "rm deps/d; mkdir deps/d",
        "mv deps d.log; ln -s d.log deps",
    ],
)
def test_what_was_changed_is_as_it_was_for_the_next_check(
    user: GitUser, opened: Opened, commit: Commit, change: str
) -> None:
    setup, runs = counting(user, "mkdir deps; echo d > deps/d; touch -d @1 deps/d")
    gates = opened(setup)
    assert check(gates, commit, change).passed
    for number in range(3):
        report = check(gates, commit, f"cat deps/d; {LOOK}; {change}; : {number}")
        assert outputs(report) == [f"d\n{WITH_DEPS}"]
    assert runs.read_text() == "x\n"


def test_a_file_that_was_only_touched_is_the_same(user: GitUser, opened: Opened, commit: Commit) -> None:
    """Package managers link one file into many trees; each link touches the file."""
    setup, runs = counting(user, "mkdir deps; echo d > deps/d; ln deps/d deps/store")
    gates = opened(setup)
    touches = ("touch deps/d", "ln deps/d more.log", "cp deps/d x.log; mv x.log deps/d")
    for number, touch in enumerate(touches):
        assert check(gates, commit, f"{touch}; : {number}").passed
    assert outputs(check(gates, commit, "cat deps/d")) == ["d"]
    assert runs.read_text() == "x\n"


def test_what_gates_always_change_is_put_back_without_another_setup(
    user: GitUser, opened: Opened, commit: Commit
) -> None:
    """A database that is made by the setup command, and a log."""
    setup, runs = counting(user, "mkdir deps; echo empty > deps/db; echo begun > all.log; chmod 640 deps/db")
    gates = opened(setup)
    for number in range(5):
        report = check(gates, commit, f"stat -c %a deps/db; cat deps/db all.log; echo {number} >> deps/db; rm all.log")
        assert outputs(report) == ["640\nempty\nbegun"]
    assert runs.read_text() == "x\n"


def test_an_environment_that_somebody_has_changed_is_made_from_scratch(
    user: GitUser, opened: Opened, commit: Commit
) -> None:
    setup, runs = counting(user, "echo empty > db.log")
    gates = opened(setup)
    for number in range(3):
        assert outputs(check(gates, commit, f"cat db.log; echo {number} >> db.log")) == ["empty"]
        for copy in (user.cache / "environments").glob("*/db.log"):
            copy.write_text("full\n")
    assert runs.read_text() == "x\n" * 3


def test_a_file_of_the_commit_is_the_commits_though_the_setup_command_made_one(
    user: GitUser, opened: Opened, commit: Commit
) -> None:
    setup, _ = counting(user, "test -e one.log || echo set up > one.log")
    gates = opened(setup)
    assert outputs(check(gates, commit, "cat one.log")) == ["set up"]
    user.write("one.log", "committed\n")
    user.git("add", "-f", "one.log")
    tracked = user.commit("tracked", {})
    assert outputs(check(gates, tracked, "cat one.log")) == ["committed"]
    assert outputs(check(gates, commit, "cat one.log; true")) == ["set up"]


def test_what_a_commit_stood_in_the_place_of_is_set_up_for_one_that_does_not(
    user: GitUser, opened: Opened, commit: Commit
) -> None:
    setup, runs = counting(user, "echo set up > one.log")
    gates = opened(setup)
    user.write("one.log", "committed\n")
    user.git("add", "-f", "one.log")
    tracked = user.commit("tracked", {"plain.txt": "plain"})
    assert outputs(check(gates, tracked, "cat one.log")) == ["committed"]
    assert outputs(check(gates, commit, "cat one.log")) == ["set up"]
    assert runs.read_text() == "x\n" * 2


def test_a_commit_with_fewer_files_is_not_set_up_again(user: GitUser, opened: Opened, commit: Commit) -> None:
    setup, runs = counting(user, "echo set up > one.log")
    gates = opened(setup)
    more = user.commit("more", {"plain.txt": "plain"})
    for tip in (more, commit):
        assert outputs(check(gates, tip, "cat one.log")) == ["set up"]
    assert runs.read_text() == "x\n"


# Which process made the tree ----------------------------------------------------------------------------------------


def test_a_tree_that_somebody_else_has_prepared_is_made_again(user: GitUser, gates: Gates, commit: Commit) -> None:
    tree, indexes = user.cache / "workspaces" / "verify-1", user.state / "indexes"
    (tree / "build").mkdir(parents=True)
    (tree / "build" / "passed").touch()
    indexes.mkdir()
    (indexes / "verify-1.ready").touch()
    assert outputs(check(gates, commit, LOOK)) == [COMMITTED]


def test_another_process_makes_the_tree_again(user: GitUser, opened: Opened, commit: Commit) -> None:
    setup, runs = counting(user, "touch deps.log")
    change = "mkdir src/__pycache__; echo forged | tee src/__pycache__/price.pyc > deps.log"
    for number in range(2):
        report = check(opened(setup), commit, f"cat deps.log; ls src; {change}; : {number}")
        assert outputs(report) == ["a.txt"]
    assert runs.read_text() == "x\n", "the environment is copied once more, and not installed again"


def test_an_index_that_somebody_else_wrote_is_not_believed(user: GitUser, gates: Gates, commit: Commit) -> None:
    """By it, a file that was changed could look as if it were the commit's."""
    assert check(gates, commit, "true").passed
    tree, index = user.cache / "workspaces" / "verify-1", user.state / "indexes" / "verify-1.index"
    (tree / "README.md").write_text("forged\n")
    user.git("update-index", "--skip-worktree", "README.md", cwd=tree)
    shutil.copy2(tree / ".git" / "index", index)
    assert outputs(check(gates, commit, "cat README.md")) == ["hello"]
