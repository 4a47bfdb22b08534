"""What is found in a commit, on real git: the lines that a change wrote, the names in it, and its place."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shiftwork.adapters.workspace.git.evidence_reader import GitCommitInspector
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.proof.verdict import FileFound, NameFound
from shiftwork.errors import RepositoryError
from shiftwork.testing.git_user import GitUser
from tests.conformance.workspace.git.git_rig import hub_of

LINES = st.lists(st.sampled_from(["alpha", "beta", "gamma", "", "@@ -1 +1 @@", "+++ b/x"]), max_size=30)


def committed(user: GitUser, files: dict[str, bytes]) -> Commit:
    for name, content in files.items():
        path = user.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    user.git("add", "-A")
    user.git("commit", "--quiet", "--allow-empty", "-m", "work\n\nNoted-By: a test")
    return user.at("HEAD")


def in_order(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(line in rest for line in part)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=LINES, after=LINES, open_end=st.booleans())
def test_what_is_not_called_written_was_there_before(
    user: GitUser, before: list[str], after: list[str], *, open_end: bool
) -> None:
    text = "\n".join(after) if open_end else "".join(f"{line}\n" for line in after)
    base = committed(user, {"f.txt": "".join(f"{line}\n" for line in before).encode()})
    tip = committed(user, {"f.txt": text.encode()})
    (found,) = asyncio.run(GitCommitInspector(hub=hub_of(user)).look(base, tip, ["f.txt"], [])).files
    lines = text.split("\n") if text else []
    lines = lines[:-1] if text.endswith("\n") else lines
    written = {line for first, last in found.changed for line in range(first, last + 1)}
    assert found.lines == len(lines)
    assert written <= set(range(1, len(lines) + 1))
    assert in_order([line for number, line in enumerate(lines, start=1) if number not in written], before)
    if before == lines and not open_end:
        assert not written


def test_only_text_files_that_are_in_the_commit_are_found(user: GitUser) -> None:
    base = user.at("HEAD")
    tip = committed(user, {"a/b.txt": b"one\ntwo", "raw": b"\0\1", "weird [x].txt": b"x\n", "empty": b""})
    (user.root / "untracked.txt").write_text("x\n")
    wanted = [
        "a/b.txt",
        "./a/b.txt",
        "a",
        "raw",
        "nowhere",
        "../x",
        "/etc/passwd",
        "weird [x].txt",
        "untracked.txt",
        "empty",
    ]
    found = asyncio.run(GitCommitInspector(hub=hub_of(user)).look(base, tip, wanted, []))
    assert found.files == (
        FileFound(path="a/b.txt", lines=2, changed=((1, 2),)),
        FileFound(path="weird [x].txt", lines=1, changed=((1, 1),)),
        FileFound(path="empty", lines=0),
    )
    assert found.tree == user.git("rev-parse", "HEAD^{tree}").strip()


def test_a_test_is_found_where_it_is_defined_and_not_where_it_is_named(user: GitUser) -> None:
    base = user.at("HEAD")
    tip = committed(
        user,
        {
            "tests/t.py": b"def test_a(): ...\n",
            "tests/u.py": b"def test_ab(): ...\n",
            "tests/w.py": b'def test_w():\n    warn("test_a passed")\n',
            "price.py": b"def test_a(): ...\n",
            "tests/raw.py": b"def test_a(): ...\n\0",
        },
    )
    names = ["test_a", "test_.", "test_b", "a\nb"]
    found = asyncio.run(GitCommitInspector(hub=hub_of(user)).look(base, tip, [], names))
    assert found.names == (
        NameFound(name="test_a", files=("tests/t.py",)),
        NameFound(name="test_."),
        NameFound(name="test_b"),
        NameFound(name="a\nb"),
    )


def test_a_test_that_the_base_defines_in_that_file_already_is_reported_from_a_new_one(user: GitUser) -> None:
    base = committed(
        user, {"tests/t.py": b"def test_old(): ...\n# test_new\n", "tests/u.py": b"def test_moved(): ...\n"}
    )
    written = b"def test_old():\n    assert 1\ndef test_new(): ...\ndef test_moved(): ...\n"
    tip = committed(user, {"tests/t.py": written})
    found = asyncio.run(
        GitCommitInspector(hub=hub_of(user)).look(base, tip, [], ["test_old", "test_new", "test_moved"])
    )
    assert found.names == (
        NameFound(name="test_old", files=("tests/t.py",), before=("tests/t.py",)),
        NameFound(name="test_new", files=("tests/t.py",)),
        NameFound(name="test_moved", files=("tests/t.py", "tests/u.py"), before=("tests/u.py",)),
    )


def test_a_commit_reports_its_parents_and_its_message(user: GitUser) -> None:
    inspector, base = GitCommitInspector(hub=hub_of(user)), user.at("HEAD")
    tip = committed(user, {"a": b"a\n"})

    async def scenario() -> None:
        assert await inspector.parents_and_message(tip) == ((base,), "work\n\nNoted-By: a test\n")
        with pytest.raises(RepositoryError, match="does not exist"):
            await inspector.parents_and_message(Commit("1" * 40))
        with pytest.raises(RepositoryError, match="does not exist"):
            await inspector.look(Commit("1" * 40), tip, [], [])

    asyncio.run(scenario())


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


def test_a_change_affects_old_and_new_names_and_the_links_that_lead_there(user: GitUser) -> None:
    (user.root / "api").mkdir()
    (user.root / "api" / "lib").symlink_to("../shared")
    (user.root / "api" / "other").symlink_to("../README.md")
    base = committed(user, {"shared/a.py": b"a\n", "web/b.py": b"b\n", "gone.txt": b"g\n"})
    assert affected(user, base, base) == []
    user.git("mv", "shared/a.py", "shared/c.py")
    user.git("rm", "--quiet", "gone.txt")
    moved = committed(user, {})
    assert affected(user, base, moved) == ["api/lib/", "gone.txt", "shared/a.py", "shared/c.py"]


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


def test_a_link_out_of_the_commit_counts_as_changed_though_nothing_else_did(user: GitUser) -> None:
    (user.root / "out").symlink_to("/etc")
    base = committed(user, {})
    tip = committed(user, {"README.md": b"new\n"})
    assert affected(user, base, tip) == ["README.md", "out/"]
