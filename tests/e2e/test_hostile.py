"""Every command in a folder that somebody hostile has made: nothing is executed, written elsewhere, or waited for."""

import os
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from shiftwork.entrypoints.cli.group import group
from tests import warm
from tests.attacks.state_rig import content, filtering
from tests.e2e.cli_rig import Project, git, new_project

STORY = "US-001"
ESCAPE = "a\x1b]0;b\x07c"
SOON = 30.0
CODES = {0, 1, 2, 64}


def commands(found: click.Command = group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command that there is, with something for each argument that it needs, and options that change much."""
    if isinstance(found, click.Group):
        context = click.Context(found)
        for name in found.list_commands(context):
            below = found.get_command(context, name)
            assert below is not None
            yield from commands(below, (*words, name))
        return
    needed = [STORY for one in found.params if isinstance(one, click.Argument) and one.required]
    yield (*words, *needed)
    flags = {flag for one in found.params for flag in one.opts}
    for flag in ("--gates", "--all", "--verify"):
        if flag in flags:
            yield (*words, *needed, flag)


EVERY = list(commands())


def hostile(folder: Path) -> Project:
    """A repository with all that a clone can bring: state of the old place, links, hooks, filters and odd names."""
    canary, project = folder / "canary", new_project(folder)
    project.settle(agent=f"touch {canary}\n", gates=f'test = "touch {canary}"')
    (folder / "outside").mkdir()
    (folder / "outside/precious").write_text("precious\n")
    filtering(project.root / ".shiftwork/hub.git", canary)
    (project.root / ".shiftwork/.gitignore").symlink_to(folder / "outside/precious")
    (project.root / ".shiftwork/workspaces").symlink_to(folder / "outside")
    (project.root / ".shiftwork/state.db").write_bytes(b"SQLite format 3\0 and no more")
    (project.root / ".shiftwork/engine.db").write_bytes(b"nothing")
    (project.root / ".gitattributes").write_text("*.txt filter=evil\n")
    (project.root / ESCAPE).write_text("x")
    (project.root / "prd.json").symlink_to("/dev/zero")
    project.git("add", "-A", "-f", ".")
    project.git("commit", "-q", "-m", f"hostile {ESCAPE}")
    return project


def played(project: Project, folder: Path, *more: str) -> list[str]:
    """What was not as it must be; `more` is typed with every command."""
    home, wrong = folder / "home", []
    home.mkdir()
    places = {name: str(folder / name.lower()) for name in ("SHIFTWORK_CACHE_HOME", "SHIFTWORK_STATE_HOME")}
    env = project.environment(HOME=str(home), SHIFTWORK_TRUST="", **places)
    before = content(folder / "outside")
    for number, words in enumerate(EVERY):
        # What the user agrees to by one command, such as `trust`, is not agreed to for the next.
        own = {**env, "SHIFTWORK_CONFIG_HOME": str(folder / f"config-{number}")}
        try:
            ended = warm.run((*words, *more), cwd=project.root, env=own, timeout=SOON)
        except TimeoutError:
            wrong.append(f"{words} hangs")
            continue
        told = ended.stdout + ended.stderr
        if ended.returncode not in CODES or "should not have happened" in told:
            wrong.append(f"{words} ended with {ended.returncode}: {told}")
        if "\x1b" in told:
            wrong.append(f"{words} writes escapes: {told!r}")
        if (folder / "canary").exists():
            wrong.append(f"{words} executed something")
            (folder / "canary").unlink()
        if content(folder / "outside") != before or any(home.iterdir()):
            wrong.append(f"{words} wrote elsewhere")
            before = content(folder / "outside")
    return wrong


def test_every_command_in_a_hostile_clone(tmp_path: Path) -> None:
    theirs = hostile(tmp_path)
    git(tmp_path, "clone", "-q", str(theirs.root), "clone")
    clone = Project(root=tmp_path / "clone", agent=theirs.agent)
    before = content(clone.root / ".shiftwork")
    assert not played(clone, tmp_path)
    assert content(clone.root / ".shiftwork") == before


@pytest.mark.parametrize("kind", ["folder", "linked"])
def test_every_command_in_a_hostile_copied_folder(tmp_path: Path, kind: str) -> None:
    theirs, canary = hostile(tmp_path), tmp_path / "canary"
    state = theirs.state
    state.mkdir()
    filtering(state / "hub.git", canary)
    for name in ("hooks/post-checkout", "hooks/reference-transaction", "hooks/pre-commit"):
        (theirs.root / ".git" / name).parent.mkdir(exist_ok=True)
        (theirs.root / ".git" / name).write_text(f"#!/bin/sh\ntouch {canary}\n")
        (theirs.root / ".git" / name).chmod(0o755)
    (state / "project").write_text("0123456789ab\n")
    (state / "state.db").symlink_to(tmp_path / "outside/precious")
    (state / "state.db-wal").write_bytes(b"planted")
    os.mkfifo(state / "engine.db")
    (state / "indexes").symlink_to(tmp_path / "outside")
    (state / ESCAPE).mkdir()
    if kind == "linked":
        state.rename(tmp_path / "outside/state")
        state.symlink_to(tmp_path / "outside/state")
    assert not played(theirs, tmp_path, *(["--json"] if kind == "linked" else []))
