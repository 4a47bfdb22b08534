"""Restoring a workspace: it is exactly the commit again, and no work is lost."""

import asyncio
import os
import shutil
import stat
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shiftwork.adapters.workspace.hub.hub import folder_of
from shiftwork.adapters.workspace.tree.checkout import Checkout
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import Shell
from shiftwork.adapters.workspace.tree.workspaces import GitWorkspaces
from shiftwork.errors import GitKilledError, RepositoryError
from shiftwork.ports.workspace import Workspaces
from shiftwork.testing.git_user import GitUser, new_user
from tests.conformance.workspace.git.git_rig import PLACE, files_of, hub_git, hub_of, prepared, workspaces_of

_RESTORING = """*" read-tree --reset -u "*) rm "$GIT_WORK_TREE/new.txt"; kill -9 $$"""
_SAVING = """*" diff-index "*" --output="*) kill -9 $$"""
_MORTAL = """\
#!/bin/sh
case " $* " in {moment} ;; esac
exec {git} "$@"
"""


def mortal_workspaces(user: GitUser, folder: Path, moment: str) -> Workspaces:
    """Workspaces whose git is killed at the moment, a pattern of its command line with what it does before."""
    program = folder / "mortal-git"
    program.write_text(_MORTAL.format(moment=moment, git=shutil.which("git")))
    program.chmod(0o755)
    hub = hub_of(user)
    return GitWorkspaces(
        hub=replace(hub, git=replace(hub.git, program=str(program))), setup=Setup(shell=Shell(env=user.env))
    )


class TestKilled:
    """A process dies in the middle, and another one restores the workspace again."""

    def test_while_it_restores_what_was_saved_is_not_saved_again(self, user: GitUser, tmp_path: Path) -> None:
        tree, keep = prepared(workspaces_of(user), user), user.state / "kept" / "attempt.diff"
        before = files_of(tree)
        (tree / "README.md").write_text("changed\n")
        (tree / "new.txt").write_text("new\n")
        with pytest.raises(GitKilledError):
            asyncio.run(mortal_workspaces(user, tmp_path, _RESTORING).restore(PLACE, user.at("HEAD"), keep))
        assert files_of(tree) == before | {"README.md": "changed\n"}, "half of it is restored"
        saved = keep.read_text()

        assert asyncio.run(workspaces_of(user).restore(PLACE, user.at("HEAD"), keep))

        assert files_of(tree) == before
        assert [path.name for path in keep.parent.iterdir()] == ["attempt.diff"]
        assert keep.read_text() == saved
        assert "+changed" in saved
        assert "+new" in saved

    def test_while_it_saves_the_next_one_saves(self, user: GitUser, tmp_path: Path) -> None:
        tree, keep = prepared(workspaces_of(user), user), user.state / "kept" / "attempt.diff"
        before = files_of(tree)
        (tree / "new.txt").write_text("new\n")
        with pytest.raises(GitKilledError):
            asyncio.run(mortal_workspaces(user, tmp_path, _SAVING).restore(PLACE, user.at("HEAD"), keep))
        assert not keep.exists()

        assert asyncio.run(workspaces_of(user).restore(PLACE, user.at("HEAD"), keep))

        assert files_of(tree) == before
        assert "+new" in keep.read_text()

    def test_while_it_removes_the_workspace_nothing_is_saved(self, user: GitUser, workspaces: Workspaces) -> None:
        tree, keep = prepared(workspaces, user), user.state / "kept" / "attempt.diff"
        Checkout(hub=hub_of(user), name=folder_of(PLACE)).interruption.removing()
        (tree / "README.md").unlink()

        with pytest.raises(RepositoryError, match="is gone"):
            asyncio.run(workspaces.restore(PLACE, user.at("HEAD"), keep))
        assert not keep.parent.exists()
        asyncio.run(workspaces.discard(PLACE))
        assert not tree.exists()
        assert "README.md" in files_of(prepared(workspaces, user))
        assert not asyncio.run(workspaces.restore(PLACE, user.at("HEAD"), keep))


class TestRestore:
    def keep(self, user: GitUser) -> Path:
        return user.state / "kept" / "attempt.diff"

    def test_returns_to_the_commit_and_keeps_a_diff_that_applies(self, user: GitUser, workspaces: Workspaces) -> None:
        tree = prepared(workspaces, user)
        before, keep = files_of(tree), self.keep(user)
        (tree / "README.md").write_text("changed\n")
        (tree / "src" / "a.txt").unlink()
        (tree / "binary").write_bytes(bytes(range(256)))
        (tree / "link").symlink_to("/etc/passwd")
        (tree / "empty-folder").mkdir()
        (tree / "a.log").write_text("ignored\n")
        assert asyncio.run(workspaces.restore(PLACE, user.at("HEAD"), keep))
        assert files_of(tree) == before | {"a.log": "ignored\n"}
        assert not (tree / "empty-folder").exists()
        user.git("apply", "--index", str(keep), cwd=user.root)
        assert (user.root / "binary").read_bytes() == bytes(range(256))
        assert (user.root / "link").readlink() == Path("/etc/passwd")
        assert (user.root / "README.md").read_text() == "changed\n"
        assert not (user.root / "src" / "a.txt").exists()

    def test_after_a_crash_the_same_diff_is_not_kept_twice(self, user: GitUser, workspaces: Workspaces) -> None:
        tree, keep = prepared(workspaces, user), self.keep(user)
        for _ in range(2):
            (tree / "new.txt").write_text("the same\n")
            assert asyncio.run(workspaces.restore(PLACE, user.at("HEAD"), keep))
        assert [path.name for path in keep.parent.iterdir()] == ["attempt.diff"]

    def test_ignored_files_stay_though_the_agent_stopped_ignoring_them(
        self, user: GitUser, workspaces: Workspaces
    ) -> None:
        tree = prepared(workspaces, user)
        (tree / "dependency.log").write_text("expensive to install\n")
        (tree / ".gitignore").write_text("")
        asyncio.run(workspaces.restore(PLACE, user.at("HEAD"), self.keep(user)))
        assert files_of(tree)["dependency.log"] == "expensive to install\n"
        assert files_of(tree)[".gitignore"] == "*.log\n"

    def test_files_hidden_by_the_agents_ignore_rules_are_kept_and_removed(
        self, user: GitUser, workspaces: Workspaces
    ) -> None:
        tree, keep = prepared(workspaces, user), self.keep(user)
        before = files_of(tree)
        (tree / "src" / ".gitignore").write_text("*.hidden\n")
        (tree / "src" / "x.hidden").write_text("treasure\n")
        asyncio.run(workspaces.restore(PLACE, user.at("HEAD"), keep))
        assert files_of(tree) == before
        assert "+treasure" in "".join(path.read_text() for path in keep.parent.iterdir())


_names = st.sampled_from(
    ["README.md", "src/a.txt", "src", "new", "new/deep", "x.log", "ü\n", ".gitignore", "src/.gitignore"]
)
_edits = st.lists(
    st.tuples(
        st.sampled_from(["write", "remove", "link", "folder", "executable", "repository"]),
        _names,
        st.sampled_from(["", "text\n", "*.txt\n", "!*.log\nnew\n", "\0\xff"]),
    ),
    min_size=1,
    max_size=6,
)


def _edit(tree: Path, act: str, name: str, content: str) -> None:
    path = tree / name
    above = [tree / parent for parent in path.relative_to(tree).parents[:-1]]
    if any(parent.is_symlink() or parent.is_file() for parent in above):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if act in {"repository", "executable"}:
        _alter(path, act)
        return
    _remove(path)
    if act == "write":
        path.write_text(content)
    elif act == "link":
        path.symlink_to("../outside")
    elif act == "folder":
        path.mkdir()


def _alter(path: Path, act: str) -> None:
    if path.is_symlink():
        return
    if act == "repository" and path.is_dir():
        subprocess.run(["git", "init", "--quiet", str(path)], check=True)
    elif act == "executable" and path.is_file():
        path.chmod(path.stat().st_mode ^ stat.S_IXUSR)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        subprocess.run(["rm", "-rf", str(path)], check=True)
    elif os.path.lexists(path):
        path.unlink()


def _ignored(name: str) -> bool:
    """What the repository's own rules ignore: a file of that name, or all files in a folder of that name."""
    return any(part.endswith(".log") for part in name.split("/"))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> GitUser:
    return new_user(tmp_path_factory.mktemp("shared"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=_edits)
def test_whatever_was_done_restore_returns_and_loses_nothing(
    shared: GitUser, edits: list[tuple[str, str, str]]
) -> None:
    """The tree is the commit's again, and the kept diff, applied to the commit, is what a snapshot would have held."""
    workspaces = workspaces_of(shared)
    base = shared.at("HEAD")
    tree = prepared(workspaces, shared)
    before = files_of(tree)
    for act, name, content in edits:
        _edit(tree, act, name, content)
    head = asyncio.run(workspaces.snapshot(PLACE, base, "step"))
    keep = shared.state / "kept" / f"{len(list((shared.state / 'kept').glob('*')))}.diff"
    assert asyncio.run(workspaces.restore(PLACE, base, keep)) == (head != base)
    stayed = {name: text for name, text in files_of(tree).items() if name in before or not _ignored(name)}
    assert stayed == before
    assert asyncio.run(workspaces.snapshot(PLACE, base, "step")) == base
    if head != base:
        index = {"GIT_INDEX_FILE": str(shared.state / "apply.index")}
        git = ["git", f"--git-dir={shared.state / 'hub.git'}"]
        subprocess.run([*git, "read-tree", base], env=shared.env | index, check=True)
        subprocess.run([*git, "apply", "--cached", str(keep)], env=shared.env | index, check=True)
        tree_id = subprocess.run(
            [*git, "write-tree"], env=shared.env | index, check=True, capture_output=True, text=True
        ).stdout.strip()
        assert tree_id == hub_git(shared, "rev-parse", f"{head}^{{tree}}")
