"""Whether a candidate is the patch that a person has approved, on real git: whatever is doubtful is another patch."""

import asyncio
from collections.abc import Callable

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.patch import Patch
from shiftwork.ports.workspace import Candidate
from tests.conformance.workspace.git.git_rig import World

LINES = [f"line {number}\n" for number in range(40)]
EQUAL = "begin\nsame\nsame\nsame\nend\n" * 4


def text(**changed: str) -> str:
    """The file with some of its lines changed, by their numbers."""
    return "".join(changed.get(f"at{number}", line) for number, line in enumerate(LINES))


BEFORE: dict[str, str | bytes] = {"code.py": text(), "equal.py": EQUAL, "tool": "#!/bin/sh\n", "logo": b"\0\1\2"}
APPROVED: dict[str, str | bytes] = {"code.py": text(at20="mine\n"), "new.py": "def f():\n    pass\n"}


def commit(world: World, on: Commit | str, files: dict[str, str | bytes | None], *, executable: str = "") -> Commit:
    """A commit of the user's on top of another one; the checkout is detached there."""
    root = world.user.root
    world.user.git("checkout", "--quiet", "--detach", on)
    for name, content in files.items():
        if content is None:
            (root / name).unlink()
        else:
            (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    if executable:
        (root / executable).chmod(0o755)
    world.user.git("add", "-A")
    world.user.git("commit", "--quiet", "--allow-empty", "-m", "a commit")
    return world.user.at("HEAD")


def departed(world: World, approved: Patch, base: Commit, new: Commit) -> list[str]:
    candidate = Candidate(base=base, commit=new)
    return list(asyncio.run(world.repository.departed(candidate, approved)))


@pytest.fixture
def approved(world: World) -> Patch:
    base = commit(world, "main", {**BEFORE})
    return Patch(base=base, commit=commit(world, base, {**APPROVED}))


MOVES: dict[str, dict[str, str | bytes | None]] = {
    "not at all": {},
    "in another file": {"other.py": "theirs\n"},
    "far from the change": {"code.py": text(at1="theirs\n")},
    "two lines beside the change": {"code.py": text(at18="theirs\n")},
    "lines come before it": {"code.py": "theirs\n" * 9 + text()},
}


@pytest.mark.parametrize("theirs", MOVES.values(), ids=MOVES.keys())
def test_a_base_that_moves_leaves_the_patch_as_it_is(
    world: World, approved: Patch, theirs: dict[str, str | bytes | None]
) -> None:
    moved = commit(world, approved.base, theirs)
    candidate = asyncio.run(world.repository.candidate(moved, approved.commit, "feat", base=approved.base))
    assert isinstance(candidate, Candidate)
    assert departed(world, approved, moved, candidate.commit) == []


def test_a_history_that_was_rewritten_leaves_the_patch_as_it_is(world: World, approved: Patch) -> None:
    world.user.git("checkout", "--quiet", "--orphan", "rewritten", approved.base)
    world.user.git("commit", "--quiet", "-m", "the same files, another history")
    rewritten = world.user.at("HEAD")
    assert departed(world, approved, rewritten, commit(world, rewritten, {**APPROVED})) == []


def with_mode(world: World, base: Commit) -> Commit:
    return commit(world, base, {**APPROVED}, executable="tool")


def with_less(world: World, base: Commit) -> Commit:
    return commit(world, base, {"code.py": APPROVED["code.py"]})


def with_link(world: World, base: Commit) -> Commit:
    new = commit(world, base, {**APPROVED, "tool": None})
    (world.user.root / "tool").symlink_to("logo")
    return commit(world, new, {})


def changing(files: dict[str, str | bytes | None]) -> Callable[[World, Commit], Commit]:
    return lambda world, base: commit(world, base, {**APPROVED, **files})


CHANGES: dict[str, tuple[Callable[[World, Commit], Commit], list[str]]] = {
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
    world: World, approved: Patch, change: Callable[[World, Commit], Commit], named: list[str], *, moved: bool
) -> None:
    base = commit(world, approved.base, {"other.py": "theirs\n"}) if moved else approved.base
    assert departed(world, approved, base, change(world, base)) == named


def test_the_same_line_elsewhere_among_equal_ones_is_another_patch(world: World, approved: Patch) -> None:
    """A diff without line numbers is the same for both."""
    blocks = EQUAL.split("begin\n")[1:]
    here, there = (
        ["same\nsame\nevil\nsame\nend\n" if at == place else one for at, one in enumerate(blocks)] for place in (1, 2)
    )
    first = commit(world, approved.base, {"equal.py": "".join(f"begin\n{one}" for one in here)})
    second = commit(world, approved.base, {"equal.py": "".join(f"begin\n{one}" for one in there)})
    assert departed(world, Patch(base=approved.base, commit=first), approved.base, second) == ["equal.py"]


def test_taking_back_what_has_landed_since_is_another_patch(world: World, approved: Patch) -> None:
    """The candidate has the very files that were approved, and undoes what others have done."""
    moved = commit(world, approved.base, {"code.py": text(at1="theirs\n"), "other.py": "theirs\n"})
    undoing = commit(world, moved, {**APPROVED, "other.py": None})
    assert departed(world, approved, moved, undoing) == ["code.py", "other.py"]


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
    world: World,
    approved: Patch,
    mine: dict[str, str | bytes | None],
    theirs: dict[str, str | bytes | None],
    named: list[str],
) -> None:
    """The change would land in a file that nobody has seen in the patch."""
    patch = Patch(base=approved.base, commit=commit(world, approved.base, mine))
    moved = commit(world, approved.base, theirs)
    candidate = asyncio.run(world.repository.candidate(moved, patch.commit, "feat", base=patch.base))
    new = candidate.commit if isinstance(candidate, Candidate) else moved
    assert departed(world, patch, moved, new) == named


def test_what_others_have_done_just_so_leaves_the_patch_as_it_is(world: World, approved: Patch) -> None:
    moved = commit(world, approved.base, {"new.py": APPROVED["new.py"], "other.py": "theirs\n"})
    candidate = asyncio.run(world.repository.candidate(moved, approved.commit, "feat", base=approved.base))
    assert isinstance(candidate, Candidate)
    assert departed(world, approved, moved, candidate.commit) == []


def test_a_patch_that_conflicts_with_the_base_is_another_one_whatever_was_made_of_it(
    world: World, approved: Patch
) -> None:
    moved = commit(world, approved.base, {"code.py": text(at20="theirs\n")})
    for resolved in ("mine\n", "theirs\n", "both\n"):
        new = commit(world, moved, {**APPROVED, "code.py": text(at20=resolved)})
        assert departed(world, approved, moved, new) == ["code.py"]
