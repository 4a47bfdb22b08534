"""What git takes for a renamed file: such a candidate is not the patch that a person has approved."""

import asyncio
from collections.abc import Mapping

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.patch import Patch
from shiftwork.ports.workspace import Candidate
from tests.conformance.workspace.git.git_rig import GitRig

LINES = [f"line {number}\n" for number in range(40)]


def text(**changed: str) -> str:
    """The file with some of its lines changed, by their numbers."""
    return "".join(changed.get(f"at{number}", line) for number, line in enumerate(LINES))


BEFORE = {"code.py": text()}


def commit(rig: GitRig, on: Commit | str, files: Mapping[str, str | None]) -> Commit:
    """A commit of the user's on top of another one; the checkout is detached there."""
    root = rig.user.root
    rig.user.git("checkout", "--quiet", "--detach", on)
    for name, content in files.items():
        if content is None:
            (root / name).unlink()
        else:
            (root / name).write_text(content)
    rig.user.git("add", "-A")
    rig.user.git("commit", "--quiet", "--allow-empty", "-m", "a commit")
    return rig.user.at("HEAD")


RENAMES: dict[str, tuple[dict[str, str | None], dict[str, str | None], list[str]]] = {
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
    rig: GitRig, mine: dict[str, str | None], theirs: dict[str, str | None], named: list[str]
) -> None:
    """The change would land in a file that the approved patch does not show."""
    base = commit(rig, "main", BEFORE)
    patch = Patch(base=base, commit=commit(rig, base, mine))
    moved = commit(rig, base, theirs)
    built = asyncio.run(rig.repository.candidate(moved, patch.commit, "feat", base=base))
    candidate = built if isinstance(built, Candidate) else Candidate(base=moved, commit=moved)
    assert list(asyncio.run(rig.repository.departed(candidate, patch))) == named
