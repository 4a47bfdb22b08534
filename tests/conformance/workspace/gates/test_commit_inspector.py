"""What is found in a commit, on real git: the lines that a change wrote, the names in it, and its place."""

import asyncio

from shiftwork.adapters.workspace.git.evidence_reader import GitCommitInspector
from shiftwork.domain.core.ids import Commit
from shiftwork.testing.git_user import GitUser
from tests.conformance.workspace.git.git_rig import hub_of


def committed(user: GitUser, files: dict[str, bytes]) -> Commit:
    for name, content in files.items():
        path = user.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    user.git("add", "-A")
    user.git("commit", "--quiet", "--allow-empty", "-m", "work\n\nNoted-By: a test")
    return user.at("HEAD")


def test_a_commit_is_reverted_by_the_one_that_says_so_until_that_is_reverted_itself(user: GitUser) -> None:
    inspector = GitCommitInspector(hub=hub_of(user))
    tip = committed(user, {"a": b"a\n"})
    user.git("commit", "--quiet", "--allow-empty", "-m", f"see: This reverts commit {tip}")

    def reverted(commit: Commit) -> str:
        return asyncio.run(inspector.revert_of(commit, "refs/heads/main"))

    assert not reverted(tip), "a mention is no revert"
    user.git("revert", "--no-edit", tip)
    first = user.at("HEAD")
    assert reverted(tip) == first
    user.git("revert", "--no-edit", first)
    assert (reverted(tip), reverted(first)) == ("", user.at("HEAD"))
    user.git("revert", "--no-edit", tip)
    assert reverted(tip) == user.at("HEAD")


def test_a_commit_is_on_the_branch_itself_or_where_that_is_gone_on_another_one(user: GitUser) -> None:
    inspector, base = GitCommitInspector(hub=hub_of(user)), user.at("HEAD")
    user.git("branch", "before")
    tip = committed(user, {"a": b"a\n"})
    user.git("branch", "archive")

    def branch(commit: Commit, name: str) -> str:
        return asyncio.run(inspector.branch_with(commit, name))

    assert branch(base, "before") == "refs/heads/before"
    assert not branch(tip, "before"), "it is there, and has it not"
    assert branch(tip, "gone") == "refs/heads/main", "the one that is checked out comes first"
    assert branch(Commit("1" * 40), "main") == branch(Commit("1" * 40), "gone") == ""
    user.git("checkout", "--quiet", "--detach")
    assert branch(tip, "gone") == "refs/heads/archive"
    user.git("update-ref", "refs/remotes/origin/gone", tip)
    user.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
    assert branch(tip, "gone") == "refs/remotes/origin/gone"
    user.git("branch", "--delete", "--force", "archive", "main")
    assert branch(tip, "other") == "refs/remotes/origin/gone"


def affected(user: GitUser, base: Commit, tip: Commit) -> list[str]:
    return sorted(asyncio.run(GitCommitInspector(hub=hub_of(user)).affected(base, tip)))


def test_what_is_or_was_no_file_stands_for_everything_below_it(user: GitUser) -> None:
    base = committed(user, {"web/b.py": b"b\n"})
    user.git("rm", "--quiet", "-r", "web")
    (user.root / "web").symlink_to("src")
    linked = committed(user, {})
    assert affected(user, base, linked) == ["web/", "web/b.py"]
    assert affected(user, linked, base) == ["web/", "web/b.py"]
    inspector = GitCommitInspector(hub=hub_of(user))
    user.git("update-index", "--add", "--cacheinfo", f"160000,{base},sub")
    user.git("commit", "--quiet", "-m", "a submodule")
    assert list(asyncio.run(inspector.affected(linked, user.at("HEAD")))) == ["sub/"]
