"""Whether a candidate is the patch that a person has approved, on real git: an unclear case counts as another patch."""

import asyncio
from collections.abc import Callable

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.patch import Patch
from shiftwork.ports.workspace import Candidate
from tests.conformance.workspace.git.git_rig import GitRig

LINES = [f"line {number}\n" for number in range(40)]
EQUAL = "begin\nsame\nsame\nsame\nend\n" * 4


def text(**changed: str) -> str:
    """The file with some of its lines changed, by their numbers."""
    return "".join(changed.get(f"at{number}", line) for number, line in enumerate(LINES))


BEFORE: dict[str, str | bytes] = {"code.py": text(), "equal.py": EQUAL, "tool": "#!/bin/sh\n", "logo": b"\0\1\2"}
APPROVED: dict[str, str | bytes] = {"code.py": text(at20="mine\n"), "new.py": "def f():\n    pass\n"}


def commit(rig: GitRig, on: Commit | str, files: dict[str, str | bytes | None], *, executable: str = "") -> Commit:
    """A commit of the user's on top of another one; the checkout is detached there."""
    root = rig.user.root
    rig.user.git("checkout", "--quiet", "--detach", on)
    for name, content in files.items():
        if content is None:
            (root / name).unlink()
        else:
            (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    if executable:
        (root / executable).chmod(0o755)
    rig.user.git("add", "-A")
    rig.user.git("commit", "--quiet", "--allow-empty", "-m", "a commit")
    return rig.user.at("HEAD")


def departed(rig: GitRig, approved: Patch, base: Commit, new: Commit) -> list[str]:
    candidate = Candidate(base=base, commit=new)
    return list(asyncio.run(rig.repository.departed(candidate, approved)))


@pytest.fixture
def approved(rig: GitRig) -> Patch:
    base = commit(rig, "main", {**BEFORE})
    return Patch(base=base, commit=commit(rig, base, {**APPROVED}))


MOVES: dict[str, dict[str, str | bytes | None]] = {
    "not at all": {},
    "in another file": {"other.py": "theirs\n"},
    "far from the change": {"code.py": text(at1="theirs\n")},
    "two lines beside the change": {"code.py": text(at18="theirs\n")},
    "lines come before it": {"code.py": "theirs\n" * 9 + text()},
}


@pytest.mark.parametrize("theirs", MOVES.values(), ids=MOVES.keys())
def test_a_base_that_moves_leaves_the_patch_as_it_is(
    rig: GitRig, approved: Patch, theirs: dict[str, str | bytes | None]
) -> None:
    moved = commit(rig, approved.base, theirs)
    candidate = asyncio.run(rig.repository.candidate(moved, approved.commit, "feat", base=approved.base))
    assert isinstance(candidate, Candidate)
    assert departed(rig, approved, moved, candidate.commit) == []


def test_a_history_that_was_rewritten_leaves_the_patch_as_it_is(rig: GitRig, approved: Patch) -> None:
    rig.user.git("checkout", "--quiet", "--orphan", "rewritten", approved.base)
    rig.user.git("commit", "--quiet", "-m", "the same files, another history")
    rewritten = rig.user.at("HEAD")
    assert departed(rig, approved, rewritten, commit(rig, rewritten, {**APPROVED})) == []


def with_mode(rig: GitRig, base: Commit) -> Commit:
    return commit(rig, base, {**APPROVED}, executable="tool")


def with_less(rig: GitRig, base: Commit) -> Commit:
    return commit(rig, base, {"code.py": APPROVED["code.py"]})


def with_link(rig: GitRig, base: Commit) -> Commit:
    new = commit(rig, base, {**APPROVED, "tool": None})
    (rig.user.root / "tool").symlink_to("logo")
    return commit(rig, new, {})


def changing(files: dict[str, str | bytes | None]) -> Callable[[GitRig, Commit], Commit]:
    return lambda rig, base: commit(rig, base, {**APPROVED, **files})


CHANGES: dict[str, tuple[Callable[[GitRig, Commit], Commit], list[str]]] = {
    "one more line": (changing({"code.py": text(at20="mine\n", at30="more\n")}), ["code.py"]),
    "white space alone": (changing({"new.py": "def f():\n        pass\n"}), ["new.py"]),
    "the end of the last line": (changing({"new.py": "def f():\n    pass"}), ["new.py"]),
    "another file": (changing({"more.py": ""}), ["more.py"]),
    "a file that is gone": (changing({"equal.py": None}), ["equal.py"]),
    "less than was approved": (with_less, ["new.py"]),
    "a binary file": (changing({"logo": b"\0\1\3"}), ["logo"]),
    "a mode": (with_mode, ["tool"]),
    "a link in place of a file": (with_link, ["tool"]),
}


@pytest.mark.parametrize("moved", [False, True], ids=["on the same base", "on a base that has moved"])
@pytest.mark.parametrize(("change", "named"), CHANGES.values(), ids=CHANGES.keys())
def test_any_other_change_is_another_patch(
    rig: GitRig, approved: Patch, change: Callable[[GitRig, Commit], Commit], named: list[str], *, moved: bool
) -> None:
    base = commit(rig, approved.base, {"other.py": "theirs\n"}) if moved else approved.base
    assert departed(rig, approved, base, change(rig, base)) == named


def test_the_same_line_elsewhere_among_equal_ones_is_another_patch(rig: GitRig, approved: Patch) -> None:
    """A diff without line numbers is the same for both."""
    blocks = EQUAL.split("begin\n")[1:]
    here, there = (
        ["same\nsame\nevil\nsame\nend\n" if at == place else block for at, block in enumerate(blocks)]
        for place in (1, 2)
    )
    first = commit(rig, approved.base, {"equal.py": "".join(f"begin\n{block}" for block in here)})
    second = commit(rig, approved.base, {"equal.py": "".join(f"begin\n{block}" for block in there)})
    assert departed(rig, Patch(base=approved.base, commit=first), approved.base, second) == ["equal.py"]


def test_taking_back_what_has_landed_since_is_another_patch(rig: GitRig, approved: Patch) -> None:
    """The candidate has the very files that were approved, and undoes what others have done."""
    moved = commit(rig, approved.base, {"code.py": text(at1="theirs\n"), "other.py": "theirs\n"})
    undoing = commit(rig, moved, {**APPROVED, "other.py": None})
    assert departed(rig, approved, moved, undoing) == ["code.py", "other.py"]


RENAMES: dict[str, tuple[dict[str, str | bytes | None], dict[str, str | bytes | None], list[str]]] = {
    "a file that was changed": (
        {"code.py": text(at20="mine\n")},
        {"code.py": None, "moved.py": text(at1="theirs\n")},
        ["code.py", "moved.py"],
    ),
    "a file that was deleted": ({"code.py": None}, {"code.py": None, "moved.py": text()}, ["moved.py"]),
    "a file that the patch has renamed": (
        {"code.py": None, "moved.py": text()},
        {"code.py": text(at1="theirs\n")},
        ["code.py", "moved.py"],
    ),
}


@pytest.mark.parametrize(("mine", "theirs", "named"), RENAMES.values(), ids=RENAMES.keys())
def test_what_git_takes_for_a_renamed_file_is_another_patch(
    rig: GitRig,
    approved: Patch,
    mine: dict[str, str | bytes | None],
    theirs: dict[str, str | bytes | None],
    named: list[str],
) -> None:
    """The change would land in a file that the approved patch does not show."""
    patch = Patch(base=approved.base, commit=commit(rig, approved.base, mine))
    moved = commit(rig, approved.base, theirs)
    candidate = asyncio.run(rig.repository.candidate(moved, patch.commit, "feat", base=patch.base))
    new = candidate.commit if isinstance(candidate, Candidate) else moved
    assert departed(rig, patch, moved, new) == named


def test_what_others_have_done_just_so_leaves_the_patch_as_it_is(rig: GitRig, approved: Patch) -> None:
    moved = commit(rig, approved.base, {"new.py": APPROVED["new.py"], "other.py": "theirs\n"})
    candidate = asyncio.run(rig.repository.candidate(moved, approved.commit, "feat", base=approved.base))
    assert isinstance(candidate, Candidate)
    assert departed(rig, approved, moved, candidate.commit) == []


def test_a_patch_that_conflicts_with_the_base_is_another_one_whatever_was_made_of_it(
    rig: GitRig, approved: Patch
) -> None:
    moved = commit(rig, approved.base, {"code.py": text(at20="theirs\n")})
    for resolved in ("mine\n", "theirs\n", "both\n"):
        new = commit(rig, moved, {**APPROVED, "code.py": text(at20=resolved)})
        assert departed(rig, approved, moved, new) == ["code.py"]
