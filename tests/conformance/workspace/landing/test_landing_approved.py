"""Whether a candidate is the patch that a person has approved, on real git: an unclear case counts as another patch."""

import asyncio
from collections.abc import Callable

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.patch import Patch
from shiftwork.ports.workspace import Candidate
from tests.conformance.workspace.git.git_rig import Context

LINES = [f"line {number}\n" for number in range(40)]
EQUAL = "begin\nsame\nsame\nsame\nend\n" * 4


def text(**changed: str) -> str:
    """The file with some of its lines changed, by their numbers."""
    return "".join(changed.get(f"at{number}", line) for number, line in enumerate(LINES))


BEFORE: dict[str, str | bytes] = {"code.py": text(), "equal.py": EQUAL, "tool": "#!/bin/sh\n", "logo": b"\0\1\2"}
APPROVED: dict[str, str | bytes] = {"code.py": text(at20="mine\n"), "new.py": "def f():\n    pass\n"}


def commit(context: Context, on: Commit | str, files: dict[str, str | bytes | None], *, executable: str = "") -> Commit:
    """A commit of the user's on top of another one; the checkout is detached there."""
    root = context.user.root
    context.user.git("checkout", "--quiet", "--detach", on)
    for name, content in files.items():
        if content is None:
            (root / name).unlink()
        else:
            (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    if executable:
        (root / executable).chmod(0o755)
    context.user.git("add", "-A")
    context.user.git("commit", "--quiet", "--allow-empty", "-m", "a commit")
    return context.user.at("HEAD")


def departed(context: Context, approved: Patch, base: Commit, new: Commit) -> list[str]:
    candidate = Candidate(base=base, commit=new)
    return list(asyncio.run(context.repository.departed(candidate, approved)))


@pytest.fixture
def approved(context: Context) -> Patch:
    base = commit(context, "main", {**BEFORE})
    return Patch(base=base, commit=commit(context, base, {**APPROVED}))


MOVES: dict[str, dict[str, str | bytes | None]] = {
    "not at all": {},
    "in another file": {"other.py": "theirs\n"},
    "far from the change": {"code.py": text(at1="theirs\n")},
    "two lines beside the change": {"code.py": text(at18="theirs\n")},
    "lines come before it": {"code.py": "theirs\n" * 9 + text()},
}


@pytest.mark.parametrize("theirs", MOVES.values(), ids=MOVES.keys())
def test_a_base_that_moves_leaves_the_patch_as_it_is(
    context: Context, approved: Patch, theirs: dict[str, str | bytes | None]
) -> None:
    moved = commit(context, approved.base, theirs)
    candidate = asyncio.run(context.repository.candidate(moved, approved.commit, "feat", base=approved.base))
    assert isinstance(candidate, Candidate)
    assert departed(context, approved, moved, candidate.commit) == []


def test_a_history_that_was_rewritten_leaves_the_patch_as_it_is(context: Context, approved: Patch) -> None:
    context.user.git("checkout", "--quiet", "--orphan", "rewritten", approved.base)
    context.user.git("commit", "--quiet", "-m", "the same files, another history")
    rewritten = context.user.at("HEAD")
    assert departed(context, approved, rewritten, commit(context, rewritten, {**APPROVED})) == []


def with_mode(context: Context, base: Commit) -> Commit:
    return commit(context, base, {**APPROVED}, executable="tool")


def with_less(context: Context, base: Commit) -> Commit:
    return commit(context, base, {"code.py": APPROVED["code.py"]})


def with_link(context: Context, base: Commit) -> Commit:
    new = commit(context, base, {**APPROVED, "tool": None})
    (context.user.root / "tool").symlink_to("logo")
    return commit(context, new, {})


def changing(files: dict[str, str | bytes | None]) -> Callable[[Context, Commit], Commit]:
    return lambda context, base: commit(context, base, {**APPROVED, **files})


CHANGES: dict[str, tuple[Callable[[Context, Commit], Commit], list[str]]] = {
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
    context: Context, approved: Patch, change: Callable[[Context, Commit], Commit], named: list[str], *, moved: bool
) -> None:
    base = commit(context, approved.base, {"other.py": "theirs\n"}) if moved else approved.base
    assert departed(context, approved, base, change(context, base)) == named


def test_the_same_line_elsewhere_among_equal_ones_is_another_patch(context: Context, approved: Patch) -> None:
    """A diff without line numbers is the same for both."""
    blocks = EQUAL.split("begin\n")[1:]
    here, there = (
        ["same\nsame\nevil\nsame\nend\n" if at == place else block for at, block in enumerate(blocks)]
        for place in (1, 2)
    )
    first = commit(context, approved.base, {"equal.py": "".join(f"begin\n{name}" for name in here)})
    second = commit(context, approved.base, {"equal.py": "".join(f"begin\n{name}" for name in there)})
    assert departed(context, Patch(base=approved.base, commit=first), approved.base, second) == ["equal.py"]


def test_taking_back_what_has_landed_since_is_another_patch(context: Context, approved: Patch) -> None:
    """The candidate has the very files that were approved, and undoes what others have done."""
    moved = commit(context, approved.base, {"code.py": text(at1="theirs\n"), "other.py": "theirs\n"})
    undoing = commit(context, moved, {**APPROVED, "other.py": None})
    assert departed(context, approved, moved, undoing) == ["code.py", "other.py"]


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
    context: Context,
    approved: Patch,
    mine: dict[str, str | bytes | None],
    theirs: dict[str, str | bytes | None],
    named: list[str],
) -> None:
    """The change would land in a file that the approved patch does not show."""
    patch = Patch(base=approved.base, commit=commit(context, approved.base, mine))
    moved = commit(context, approved.base, theirs)
    candidate = asyncio.run(context.repository.candidate(moved, patch.commit, "feat", base=patch.base))
    new = candidate.commit if isinstance(candidate, Candidate) else moved
    assert departed(context, patch, moved, new) == named


def test_what_others_have_done_just_so_leaves_the_patch_as_it_is(context: Context, approved: Patch) -> None:
    moved = commit(context, approved.base, {"new.py": APPROVED["new.py"], "other.py": "theirs\n"})
    candidate = asyncio.run(context.repository.candidate(moved, approved.commit, "feat", base=approved.base))
    assert isinstance(candidate, Candidate)
    assert departed(context, approved, moved, candidate.commit) == []


def test_a_patch_that_conflicts_with_the_base_is_another_one_whatever_was_made_of_it(
    context: Context, approved: Patch
) -> None:
    moved = commit(context, approved.base, {"code.py": text(at20="theirs\n")})
    for resolved in ("mine\n", "theirs\n", "both\n"):
        new = commit(context, moved, {**APPROVED, "code.py": text(at20=resolved)})
        assert departed(context, approved, moved, new) == ["code.py"]
