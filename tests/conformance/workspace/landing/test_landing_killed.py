"""The git that moves the user's branch is killed at each command it receives: checkout and branch stay consistent."""

import asyncio
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.hub.landing import GitRepository
from shiftwork.app.runtime.git_retry import again
from shiftwork.errors import GitKilledError
from shiftwork.git_folders import holding_branch
from shiftwork.ports.workspace import Moved
from tests.conformance.workspace.git.git_rig import GitRig
from tests.repositories import git_locks

# Passes each command on to the git of a transaction, until it reaches the command at which it dies, once.
_MORTAL = """\
#!{python}
import os, pathlib, signal, subprocess, sys
words = [{git!r}, *sys.argv[1:]]
died = pathlib.Path({died!r})
if "--stdin" not in words or died.exists():
    os.execv(words[0], words)
with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as real:
    for line in sys.stdin.buffer:
        last = line.strip() == {word!r}
        if last and {moment!r} == "before":
            break
        real.stdin.write(line)
        real.stdin.flush()
        if line.startswith(b"update"):
            continue
        told = real.stdout.readline()
        if not last or {moment!r} == "told":
            sys.stdout.buffer.write(told)
            sys.stdout.buffer.flush()
        if last:
            break
    real.kill()
died.touch()
os.kill(os.getpid(), signal.SIGKILL)
"""


MOMENTS = ("before", "done", "told")
"""Before it executes the command, after it has, and after it has confirmed it."""


def mortal(rig: GitRig, folder: Path, word: str, moment: str) -> GitRepository:
    """Leaves a file `died` in the folder when it has."""
    program, real = folder / "mortal-git", shutil.which("git")
    died = str(folder / "died")
    text = _MORTAL.format(python=sys.executable, git=real, died=died, word=word.encode(), moment=moment)
    program.write_text(text)
    program.chmod(0o755)
    return GitRepository(hub=replace(rig.hub, user=replace(rig.hub.user, program=str(program))))


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("word", ["start", "prepare", "commit"])
def test_it_is_moved_whole_or_begun_again(tmp_path: Path, word: str, moment: str) -> None:
    rig = GitRig(tmp_path)
    candidate = rig.candidate(rig.story({"new.txt": "n\n", "README.md": "better\n"}))
    repository = mortal(rig, tmp_path, word, moment)

    moved = asyncio.run(again(lambda: repository.move("main", candidate)))

    assert (tmp_path / "died").exists()
    assert moved == Moved(ref="main")
    assert rig.user.at("main") == candidate.commit
    assert rig.user.status() == "", "files, index and branch are one"
    assert (rig.user.root / "README.md").read_text() == "better\n"
    assert not git_locks(rig.user.root)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("word", ["start", "prepare"])
def test_its_locks_are_not_left_where_the_user_is_in_the_way(tmp_path: Path, word: str, moment: str) -> None:
    """It has nothing more to say then, so that its death is seen at its end only."""
    rig = GitRig(tmp_path)
    before = rig.user.at("main")
    candidate = rig.candidate(rig.story({"README.md": "better\n"}))
    (rig.user.root / "README.md").write_text("my own\n")
    repository = mortal(rig, tmp_path, word, moment)

    moved = asyncio.run(again(lambda: repository.move("main", candidate)))

    assert (tmp_path / "died").exists()
    assert moved == Moved(ref=holding_branch("main"))
    assert rig.user.at("main") == before
    assert (rig.user.root / "README.md").read_text() == "my own\n"
    assert not git_locks(rig.user.root)


# Moves the files as git does, until it dies at the named one, of which it has written so many bytes: once.
_TORN = """\
#!{python}
import os, pathlib, signal, subprocess, sys
words = [{git!r}, *sys.argv[1:]]
died = pathlib.Path({died!r})
if "read-tree" not in words or died.exists():
    os.execv(words[0], words)
root, old, new = words[2], *words[-2:]
ask = lambda *more: subprocess.run([words[0], "-C", root, *more], stdout=subprocess.PIPE, check=True).stdout
rows = ask("diff-tree", "-r", "--no-renames", "--name-status", old, new).decode().splitlines()
for name in sorted(row[2:] for row in rows if row[0] == "D"):
    os.unlink(os.path.join(root, name))
    if os.path.dirname(name) and not os.listdir(os.path.join(root, os.path.dirname(name))):
        os.rmdir(os.path.join(root, os.path.dirname(name)))
for name in sorted(row[2:] for row in rows if row[0] != "D"):
    whole, file = ask("cat-file", "--filters", new + ":" + name), pathlib.Path(root, name)
    file.parent.mkdir(exist_ok=True)
    file.unlink(missing_ok=True)
    file.write_bytes(whole[: {size}] if name == {torn!r} else whole)
    if name == {torn!r}:
        break
died.touch()
os.kill(os.getpid(), signal.SIGKILL)
"""

STORY: dict[str, str | None] = {"README.md": "better\n", "later.txt": "later\n", "new.txt": "new\n", "src/a.txt": None}
"""Changed, created, created and removed."""


def tearing(rig: GitRig, folder: Path, torn: str, size: int) -> GitRepository:
    """Leaves a file `died` in the folder when git has died."""
    program, died = folder / "tearing-git", str(folder / "died")
    real = shutil.which("git")
    program.write_text(_TORN.format(python=sys.executable, git=real, died=died, torn=torn, size=size))
    program.chmod(0o755)
    return GitRepository(hub=replace(rig.hub, user=replace(rig.hub.user, program=str(program))))


FIRST: dict[str, str | None] = {"0.txt": "0\n"}
"""Git writes it before all others."""

FOLDER: dict[str, str | None] = {"Changed": None, "Changed/new.txt": "new\n", "folder/a": None, "folder": "a file\n"}
"""A file becomes a folder, and a folder a file."""

TORN = [("README.md", 0), ("README.md", 3), ("later.txt", 0), ("later.txt", 1), ("new.txt", 0), ("new.txt", 3)]


@pytest.mark.parametrize("before", [{}, FIRST], ids=["first", "second"])
@pytest.mark.parametrize(("torn", "size"), TORN)
def test_a_file_that_git_was_writing_is_no_edit_of_the_user(
    tmp_path: Path, torn: str, size: int, before: dict[str, str | None]
) -> None:
    rig = GitRig(tmp_path)
    candidate = rig.candidate(rig.story(STORY | before))
    repository = tearing(rig, tmp_path, torn, size)

    moved = asyncio.run(again(lambda: repository.move("main", candidate)))

    assert (tmp_path / "died").exists()
    assert moved == Moved(ref="main")
    assert rig.user.status() == "", "files, index and branch are one"
    assert (rig.user.root / "later.txt").read_text() == "later\n"


@pytest.mark.parametrize(("torn", "size"), [("Changed/new.txt", 1), ("README.md", 3), ("folder", 0)])
def test_a_folder_in_place_of_a_file_is_no_edit_either(tmp_path: Path, torn: str, size: int) -> None:
    rig = GitRig(tmp_path)
    assert rig.land({"Changed": "a file\n", "folder/a": "a\n"}) == Moved(ref="main")
    candidate = rig.candidate(rig.story(STORY | FOLDER))
    repository = tearing(rig, tmp_path, torn, size)

    moved = asyncio.run(again(lambda: repository.move("main", candidate)))

    assert (tmp_path / "died").exists()
    assert moved == Moved(ref="main")
    assert rig.user.status() == "", "files, index and branch are one"
    assert (rig.user.root / "folder").read_text() == "a file\n"


@pytest.mark.parametrize(("torn", "size"), TORN)
def test_nor_after_the_user_has_committed_something_else(tmp_path: Path, torn: str, size: int) -> None:
    rig = GitRig(tmp_path)
    candidate = rig.candidate(tip := rig.story(STORY))
    with pytest.raises(GitKilledError):
        asyncio.run(tearing(rig, tmp_path, torn, size).move("main", candidate))
    rig.user.write("mine.txt", "mine\n")
    rig.user.git("add", "mine.txt")
    rig.user.git("commit", "--quiet", "-m", "mine", "--", "mine.txt")

    assert rig.move(rig.candidate(tip)) == Moved(ref="main")
    assert rig.user.status() == ""
    assert (rig.user.root / "mine.txt").read_text() == "mine\n"


@pytest.mark.parametrize(
    "edits",
    [
        {"new.txt": ""},  # `later.txt` comes before it, and was not complete
        {"later.txt": "own\n"},
        {"later.txt": "lat", "new.txt": "own\n"},
        {"README.md": "own\n", "later.txt": ""},
        {"later.txt": "later\nand more\n"},
    ],
)
def test_what_the_user_wrote_after_the_kill_stays(tmp_path: Path, edits: dict[str, str]) -> None:
    rig = GitRig(tmp_path)
    candidate = rig.candidate(rig.story(STORY))
    with pytest.raises(GitKilledError):
        asyncio.run(tearing(rig, tmp_path, "later.txt", 1).move("main", candidate))
    (rig.user.root / "later.txt").unlink()
    for name, text in edits.items():
        rig.user.write(name, text)

    assert rig.move(candidate) == Moved(ref=holding_branch("main"))
    assert {name: (rig.user.root / name).read_text() for name in edits} == edits


def test_a_file_that_the_user_emptied_before_is_not_restored(tmp_path: Path) -> None:
    rig = GitRig(tmp_path)
    assert rig.land({"other.txt": "other\n"}) == Moved(ref="main")
    rig.user.write("README.md", "")

    assert rig.land({"README.md": "better\n"}) == Moved(ref=holding_branch("main"))
    assert (rig.user.root / "README.md").read_text() == ""
