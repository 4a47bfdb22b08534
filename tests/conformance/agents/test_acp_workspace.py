"""Files that an ACP agent asks the harness for: whatever the agent does to their names, they are in its workspace."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shiftwork.adapters.agents.acp.permissions import OutsideError, Workspace

_TURNS = """
import os, sys
print("turning", flush=True)
while True:
    for target in sys.argv[1:]:
        os.symlink(target, "next")
        os.replace("next", "door")
"""
"""A link that leads inside and outside by turns, as quickly as a process can have it."""


@contextmanager
def turning(folder: Path, *targets: str) -> Iterator[None]:
    (folder / "door").symlink_to(targets[0])
    with subprocess.Popen(
        [sys.executable, "-c", _TURNS, *targets], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    for folder in ("inside/room", "outside"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "inside" / "room" / "file").write_text("inside")
    (tmp_path / "outside" / "file").write_text("outside")
    return tmp_path / "inside"


def test_a_link_that_is_turned_meanwhile_leads_nowhere(inside: Path) -> None:
    workspace, outside = Workspace(inside), inside.parent / "outside"
    seen = set()
    with turning(inside, "room", str(outside)):
        for number in range(3000):
            for touch in (workspace.read, workspace.write):
                try:
                    seen.add(touch({"path": "door/file", "content": f"inside {number}"}))
                except OutsideError:
                    continue
    assert (outside / "file").read_text() == "outside"
    assert "outside" not in seen
    assert any(isinstance(text, str) and text.startswith("inside") for text in seen)


def test_a_pipe_is_not_waited_for(inside: Path) -> None:
    os.mkfifo(inside / "pipe")
    for touch in (Workspace(inside).read, Workspace(inside).write):
        with pytest.raises(OutsideError, match=r"pipe (is not a regular file|cannot be written)"):
            touch({"path": "pipe", "content": "x"})


def test_what_would_fill_the_memory_is_not_read(inside: Path) -> None:
    with (inside / "large").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(OutsideError, match="too large"):
        Workspace(inside).read({"path": "large"})


def test_the_workspace_itself_is_no_file(inside: Path) -> None:
    with pytest.raises(OutsideError, match="not in the workspace"):
        Workspace(inside).write({"path": str(inside), "content": "x"})


def test_what_was_longer_is_as_short_as_it_was_written(inside: Path) -> None:
    workspace = Workspace(inside)
    workspace.write({"path": "room/file", "content": "in"})
    assert (inside / "room" / "file").read_text() == "in"
