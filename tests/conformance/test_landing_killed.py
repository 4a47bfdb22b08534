"""The git that moves the user's branch is killed at each word it is told: checkout and branch stay one."""

import asyncio
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.landing import GitRepository
from shiftwork.app.again import again
from shiftwork.ports.workspace import Moved
from tests.conformance.git_rig import World

# Passes each word on to the git of a transaction, until it comes to the one at which it dies: once.
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
        if last and not {does_it}:
            break
        real.stdin.write(line)
        real.stdin.flush()
        if line.startswith(b"update"):
            continue
        told = real.stdout.readline()
        if last:
            break
        sys.stdout.buffer.write(told)
        sys.stdout.buffer.flush()
    real.kill()
died.touch()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("does_it", [False, True])
@pytest.mark.parametrize("word", ["start", "prepare", "commit"])
def test_it_is_moved_whole_or_begun_anew(tmp_path: Path, word: str, *, does_it: bool) -> None:
    world = World(tmp_path)
    program, died = tmp_path / "mortal-git", tmp_path / "died"
    real = shutil.which("git")
    text = _MORTAL.format(python=sys.executable, git=real, died=str(died), word=word.encode(), does_it=does_it)
    program.write_text(text)
    program.chmod(0o755)
    hub = replace(world.hub, user=replace(world.hub.user, program=str(program)))
    candidate = world.candidate(world.story({"new.txt": "n\n", "README.md": "better\n"}))
    repository = GitRepository(hub=hub)

    moved = asyncio.run(again(lambda: repository.move("main", candidate)))

    assert died.exists()
    assert moved == Moved(ref="main")
    assert world.user.at("main") == candidate.commit
    assert world.user.status() == "", "files, index and branch are one"
    assert (world.user.root / "README.md").read_text() == "better\n"
    assert not list((world.user.root / ".git").rglob("*.lock"))
