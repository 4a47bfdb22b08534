"""Workspaces on real git: created clean, committed from outside, removed completely."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.ports.workspace import Place, Workspaces
from shiftwork.testing.git_user import EMAIL, NAME, GitUser, new_user
from tests.conformance.workspace.git.git_rig import PLACE, RUN, files_of, hub_git, prepared, workspaces_of


class TestPrepare:
    def test_lays_out_the_commit_and_nothing_else(self, user: GitUser, workspaces: Workspaces) -> None:
        user.write("src/a.txt", "an edit of the user's\n")
        user.write("new.txt", "not committed\n")
        tree = prepared(workspaces, user)
        assert files_of(tree) == {"README.md": "hello\n", "src/a.txt": "one\ntwo\nthree\n", ".gitignore": "*.log\n"}
        assert tree == user.cache / "workspaces" / RUN / "US-001-1"

    def test_the_users_repository_does_not_see_the_state_folder(self, user: GitUser, workspaces: Workspaces) -> None:
        prepared(workspaces, user)
        assert user.status() == ""

    def test_nothing_of_the_users_lies_in_a_folder_above(self, user: GitUser, workspaces: Workspaces) -> None:
        tree = prepared(workspaces, user)
        assert user.root not in tree.parents

    def test_what_the_file_system_can_do_is_probed_where_the_trees_are(self, user: GitUser) -> None:
        user.git("config", "core.fileMode", "false")
        workspaces = workspaces_of(user)
        tree = prepared(workspaces, user)
        (tree / "run.sh").write_text("#!/bin/sh\n")
        (tree / "run.sh").chmod(0o755)
        commit = asyncio.run(workspaces.snapshot(PLACE, user.at("HEAD"), "step"))
        assert hub_git(user, "ls-tree", commit, "run.sh").startswith("100755")
        assert user.git("config", "core.fileMode", cwd=tree) == "true"

    def test_again_replaces_what_stood_there(self, user: GitUser, workspaces: Workspaces) -> None:
        tree = prepared(workspaces, user)
        (tree / "junk.log").write_text("ignored\n")
        (tree / "README.md").unlink()
        locked = tree / "locked"
        locked.mkdir()
        (locked / "inside").write_text("x")
        locked.chmod(0o500)
        prepared(workspaces, user)
        assert set(files_of(tree)) == {"README.md", "src/a.txt", ".gitignore"}

    def test_runs_the_setup_command_and_undoes_its_changes_to_files_of_the_commit(self, user: GitUser) -> None:
        workspaces = workspaces_of(user, "echo dependency > installed.log; echo changed > README.md; test -z $GIT_DIR")
        tree = prepared(workspaces, user)
        assert (tree / "installed.log").read_text() == "dependency\n"
        assert (tree / "README.md").read_text() == "hello\n"

    def test_the_setup_command_is_reported_the_ports_and_names_of_its_story(self, user: GitUser) -> None:
        workspaces = workspaces_of(
            user, 'echo "$SHIFTWORK_PORT_BASE $SHIFTWORK_PORTS $COMPOSE_PROJECT_NAME" > told.log'
        )
        tree = asyncio.run(workspaces.prepare(Place(run="R7", story="US-001", number=1, slot=3), user.at("HEAD")))
        assert (tree / "told.log").read_text() == "20300 100 shiftwork_r7_us-001\n"

    def test_where_the_setup_command_fails_the_tree_has_no_environment(self, user: GitUser) -> None:
        tree = prepared(workspaces_of(user, "touch half.log; echo no network >&2; exit 3"), user)
        assert not (tree / "half.log").exists()

    def test_after_a_kill_a_stale_lock_on_its_ref_is_not_in_the_way(
        self, user: GitUser, workspaces: Workspaces
    ) -> None:
        lock = user.root / ".git" / "refs" / "shiftwork" / "pin" / RUN / "US-001-1.lock"
        lock.parent.mkdir(parents=True)
        lock.touch()
        assert files_of(prepared(workspaces, user))["README.md"] == "hello\n"
        assert not lock.exists()

    @pytest.mark.parametrize("there", [True, False])
    def test_a_git_that_was_killed_while_it_removed_the_ref_leaves_no_lock(
        self, user: GitUser, workspaces: Workspaces, *, there: bool
    ) -> None:
        prepared(workspaces, user)
        pin = user.root / ".git" / "refs" / "shiftwork" / "pin" / RUN / "US-001-1"
        lock = pin.with_name(f"{pin.name}.lock")
        lock.touch()
        if not there:
            pin.unlink()
        asyncio.run(workspaces.discard(PLACE))
        assert not pin.exists()
        assert not lock.exists()

    def test_copies_included_files_and_never_commits_them(self, user: GitUser) -> None:
        user.commit("ignore", {".gitignore": ".env\n"})
        user.write(".env", "SECRET=1\n")
        user.write(".env.example", "SECRET=\n")
        user.write("local/deep/file name", "mine\n")
        user.write("other", "untracked, not asked for\n")
        (user.root / ".env.link").symlink_to("/etc/hostname")
        workspaces = workspaces_of(user, included=(".env*", "local/", "!.env.example"))
        tree = prepared(workspaces, user)
        assert files_of(tree)[".env"] == "SECRET=1\n"
        assert files_of(tree)["local/deep/file name"] == "mine\n"
        assert files_of(tree)[".env.link"] == "-> /etc/hostname"
        assert {"other", ".env.example"}.isdisjoint(files_of(tree))
        (tree / ".gitignore").write_text("")
        commit = asyncio.run(workspaces_of(user).snapshot(PLACE, user.at("HEAD"), "step"))
        assert hub_git(user, "diff", "--name-only", user.at("HEAD"), commit) == ".gitignore"

    def test_an_included_file_is_not_written_through_a_link_of_the_commit(self, user: GitUser, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        user.write("conf/secret", "key\n")
        target = user.git("hash-object", "-w", str(user.write("../target", str(outside))))
        user.git("update-index", "--add", "--cacheinfo", f"120000,{target},conf")
        tree_id = user.git("write-tree")
        commit = Commit(user.git("commit-tree", tree_id, "-p", "HEAD", "-m", "a link"))
        tree = asyncio.run(workspaces_of(user, included=("conf/secret",)).prepare(PLACE, commit))
        assert (tree / "conf").is_symlink()
        assert list(outside.iterdir()) == []

    def test_from_a_linked_worktree_of_the_user(self, user: GitUser, tmp_path: Path) -> None:
        second = tmp_path / "second"
        user.git("worktree", "add", "--quiet", "-b", "topic", str(second))
        linked = GitUser(root=second)
        commit = linked.commit("on topic", {"topic.txt": "t\n"})
        tree = asyncio.run(workspaces_of(linked).prepare(PLACE, commit))
        assert (tree / "topic.txt").read_text() == "t\n"

    def test_the_base_outlives_a_gc_of_the_users(self, user: GitUser, workspaces: Workspaces) -> None:
        base = user.commit("soon gone", {"gone.txt": "g\n"})
        tree = asyncio.run(workspaces.prepare(PLACE, base))
        (tree / "work").write_text("w\n")
        head = asyncio.run(workspaces.snapshot(PLACE, base, "step"))
        second = Place(run=RUN, story="US-001", number=2)
        asyncio.run(workspaces.prepare(second, head))
        asyncio.run(workspaces.discard(PLACE))
        user.git("reset", "--quiet", "--hard", "HEAD~1")
        user.git("reflog", "expire", "--expire=now", "--all")
        user.git("gc", "--quiet", "--prune=now")
        assert hub_git(user, "show", f"{head}:gone.txt") == "g"
        asyncio.run(workspaces.discard(second))
        assert user.git("for-each-ref", "refs/shiftwork") == ""


class TestTheAgentsRepository:
    def test_git_works_there(self, user: GitUser, workspaces: Workspaces) -> None:
        tree = prepared(workspaces, user)
        assert user.status(tree) == ""
        assert user.git("log", "--format=%s", cwd=tree) == "first"
        assert user.git("branch", "--show-current", cwd=tree) == workspaces.branch(PLACE) == "shiftwork/US-001"
        (tree / "README.md").write_text("changed\n")
        assert "+changed" in user.git("diff", cwd=tree)
        user.git("commit", "--quiet", "-am", "the agent's own", cwd=tree)
        assert user.git("log", "--format=%s", cwd=tree) == "the agent's own\nfirst"
        assert user.git("log", "--format=%s", "main") == "first"

    def test_renewed_it_is_at_the_new_commit_and_clean(self, user: GitUser, workspaces: Workspaces) -> None:
        tree = prepared(workspaces, user)
        (tree / "new.txt").write_text("n\n")
        (tree / "src" / "a.txt").unlink()
        head = asyncio.run(workspaces.snapshot(PLACE, user.at("HEAD"), "a step"))
        asyncio.run(workspaces.renew(PLACE, head))
        assert user.status(tree) == ""
        assert user.git("log", "--format=%s", cwd=tree) == "a step\nfirst"
        assert (tree / "new.txt").read_text() == "n\n"

    @pytest.mark.parametrize("branch", ["main", "develop", "feature/x", "größe"])
    def test_the_base_branch_has_its_own_name_there(self, user: GitUser, workspaces: Workspaces, branch: str) -> None:
        user.git("checkout", "--quiet", "-B", branch)
        base = user.at("HEAD")
        tree = prepared(workspaces, user)
        (tree / "new.txt").write_text("n\n")
        head = asyncio.run(workspaces.snapshot(PLACE, base, "a step"))
        asyncio.run(workspaces.renew(PLACE, head, {branch: base}))
        for words in (f"{branch}..", f"{branch}..HEAD", f"{branch}...HEAD", branch):
            assert user.git("diff", "--name-only", words, cwd=tree) == "new.txt"
        assert user.git("log", "--format=%s", f"{branch}..", cwd=tree) == "a step"
        user.git("branch", "--force", branch, "HEAD", cwd=tree)
        user.git("checkout", "--quiet", branch, cwd=tree)
        assert user.git("rev-parse", branch, cwd=tree) == head
        assert user.at(branch) == base, "the branch of the user is another one"

    @pytest.mark.parametrize("branch", ["shiftwork", "shiftwork/US-001", "shiftwork/US-001/x"])
    def test_a_base_branch_that_is_in_the_way_of_the_agents_own_is_left_out(
        self, user: GitUser, workspaces: Workspaces, branch: str
    ) -> None:
        tree = prepared(workspaces, user)
        (tree / "new.txt").write_text("n\n")
        head = asyncio.run(workspaces.snapshot(PLACE, user.at("HEAD"), "a step"))
        asyncio.run(workspaces.renew(PLACE, head, {branch: user.at("HEAD")}))
        assert user.git("for-each-ref", "--format=%(refname) %(objectname)", cwd=tree) == (
            f"refs/heads/shiftwork/US-001 {head}"
        )
        user.git("commit", "--quiet", "--allow-empty", "-m", "more", cwd=tree)

    def test_it_ignores_what_the_user_ignores_elsewhere(self, user: GitUser) -> None:
        (user.home / "ignore").write_text("*.swp\n")
        user.git("config", "--global", "core.excludesFile", "~/ignore")
        (user.root / ".git" / "info" / "exclude").write_text("/scratch/\n")
        workspaces = workspaces_of(user)
        tree = prepared(workspaces, user)
        (tree / "scratch").mkdir()
        (tree / "scratch" / "x").write_text("x")
        (tree / ".a.swp").write_text("x")
        assert user.status(tree) == ""
        base = user.at("HEAD")
        assert asyncio.run(workspaces.snapshot(PLACE, base, "step")) == base

    def test_renewing_without_an_index_is_clean_too(self, user: GitUser, workspaces: Workspaces) -> None:
        tree = prepared(workspaces, user)
        (user.state / "indexes" / RUN / "US-001-1.index").unlink()
        asyncio.run(workspaces.renew(PLACE, user.at("HEAD")))
        assert user.status(tree) == ""

    def test_the_name_of_a_story_is_no_trap(self, user: GitUser, workspaces: Workspaces) -> None:
        place = Place(run="../r", story="a b/../~c.lock", number=1)
        tree = asyncio.run(workspaces.prepare(place, user.at("HEAD")))
        assert tree.resolve().is_relative_to(user.cache / "workspaces")
        (tree / "f").write_text("f")
        asyncio.run(workspaces.snapshot(place, user.at("HEAD"), "step"))
        assert user.git("log", "--format=%s", cwd=tree) == "first"
        asyncio.run(workspaces.discard(place))


class TestSnapshot:
    def test_takes_the_tree_as_it_stands(self, user: GitUser, workspaces: Workspaces) -> None:
        tree = prepared(workspaces, user)
        (tree / "README.md").write_text("changed\n")
        (tree / "src" / "a.txt").unlink()
        (tree / "new").mkdir()
        (tree / "new" / "b.txt").write_text("b\n")
        (tree / "run.sh").write_text("#!/bin/sh\n")
        (tree / "run.sh").chmod(0o755)
        (tree / "link").symlink_to("README.md")
        (tree / "debug.log").write_text("ignored\n")
        base = user.at("HEAD")
        head = asyncio.run(workspaces.snapshot(PLACE, base, "feat: it\n\nwhy"))
        listing = hub_git(user, "ls-tree", "-r", "--format=%(objectmode) %(path)", head).splitlines()
        assert listing == [
            "100644 .gitignore",
            "100644 README.md",
            "120000 link",
            "100644 new/b.txt",
            "100755 run.sh",
        ]
        assert hub_git(user, "log", "-1", "--format=%P|%an|%ce|%B", head) == f"{base}|{NAME}|{EMAIL}|feat: it\n\nwhy\n"
        assert hub_git(user, "rev-parse", f"refs/shiftwork/{RUN}/US-001/head") == head

    def test_the_agents_own_commits_are_irrelevant(self, user: GitUser, workspaces: Workspaces) -> None:
        tree = prepared(workspaces, user)
        (tree / "README.md").write_text("changed\n")
        user.git("commit", "--quiet", "-am", "the agent's own", cwd=tree)
        head = asyncio.run(workspaces.snapshot(PLACE, user.at("HEAD"), "the harness's"))
        assert hub_git(user, "log", "--format=%s", head) == "the harness's\nfirst"

    def test_after_a_kill_a_stale_lock_is_not_in_the_way(self, user: GitUser, workspaces: Workspaces) -> None:
        tree = prepared(workspaces, user)
        (tree / "README.md").write_text("changed\n")
        (user.state / "indexes" / RUN / "US-001-1.index.lock").write_text("")
        head = asyncio.run(workspaces.snapshot(PLACE, user.at("HEAD"), "step"))
        assert hub_git(user, "show", f"{head}:README.md") == "changed"

    def test_line_endings_follow_the_users_setting(self, user: GitUser) -> None:
        user.git("config", "core.autocrlf", "input")
        workspaces = workspaces_of(user)
        tree = prepared(workspaces, user)
        (tree / "README.md").write_bytes(b"hello\r\n")
        base = user.at("HEAD")
        assert asyncio.run(workspaces.snapshot(PLACE, base, "step")) == base

    @pytest.mark.parametrize("number", [2000])
    def test_many_files(self, user: GitUser, workspaces: Workspaces, number: int) -> None:
        tree = prepared(workspaces, user)
        for position in range(number):
            (tree / f"many-{position % 20}").mkdir(exist_ok=True)
            (tree / f"many-{position % 20}" / f"{position}.txt").write_text(f"{position}\n")
        base = user.at("HEAD")
        head = asyncio.run(workspaces.snapshot(PLACE, base, "many"))
        assert len(hub_git(user, "diff", "--name-only", base, head).splitlines()) == number
        asyncio.run(workspaces.restore(PLACE, base, user.state / "keep.diff"))
        assert len(files_of(tree)) == 3


class TestDiscard:
    def test_removes_the_tree_and_keeps_the_commits(self, user: GitUser, workspaces: Workspaces) -> None:
        tree = prepared(workspaces, user)
        (tree / "new").write_text("n")
        head = asyncio.run(workspaces.snapshot(PLACE, user.at("HEAD"), "step"))
        (tree / "ro").mkdir()
        (tree / "ro" / "f").write_text("f")
        (tree / "ro").chmod(0)
        for _ in range(2):
            asyncio.run(workspaces.discard(PLACE))
        assert not tree.exists()
        assert hub_git(user, "cat-file", "-t", head) == "commit"
        assert list((user.state / "indexes" / RUN).iterdir()) == []
        assert user.git("for-each-ref", "refs/shiftwork") == ""


def test_a_repository_with_longer_hashes(tmp_path: Path) -> None:
    user = new_user(tmp_path, object_format="sha256")
    workspaces = workspaces_of(user)
    tree = prepared(workspaces, user)
    (tree / "new").write_text("n\n")
    head = asyncio.run(workspaces.snapshot(PLACE, user.at("HEAD"), "step"))
    asyncio.run(workspaces.renew(PLACE, head))
    assert user.git("log", "--format=%s", cwd=tree) == "step\nfirst"
    assert user.status(tree) == ""
