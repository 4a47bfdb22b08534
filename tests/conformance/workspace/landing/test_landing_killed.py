"""The git that moves the user's branch is killed at each command it receives: checkout and branch stay consistent."""

import asyncio
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.hub.landing import GitRepository
from shiftwork.adapters.workspace.hub.user_trees import holding_branch
from shiftwork.app.runtime.git_retry import again
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
