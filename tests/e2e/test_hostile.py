"""Every command in a hostile folder: nothing in it is executed, nothing is written elsewhere, and nothing hangs."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from shiftwork.entrypoints.cli.group import group
from tests import warm
from tests.attacks.state_rig import content, filtering
from tests.e2e.cli_rig import Project, git, new_project

STORY = "US-001"
ESCAPE = "a\x1b]0;b\x07c"
SOON = 30.0
A_WHILE = 3.0
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
    needed = [STORY for parameter in found.params if isinstance(parameter, click.Argument) and parameter.required]
    yield (*words, *needed)
    flags = {flag for parameter in found.params for flag in parameter.opts}
    for flag in ("--gates", "--all", "--verify", "--show", "--test", "--plan", "--dry-run", "--force", "--prd"):
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
    (project.root / ".gitattributes").write_text("*.txt filter=evil\n")
    (project.root / ESCAPE).write_text("x")
    (project.root / "prd.json").symlink_to("/dev/zero")
    project.git("add", "-A", "-f", ".")
    project.git("commit", "-q", "-m", f"hostile {ESCAPE}")
    return project


PROGRAMS = """
    core.fsmonitor core.hooksPath core.sshCommand core.askPass core.editor core.pager core.gitProxy
    core.alternateRefsCommand credential.helper diff.external diff.evil.command diff.evil.textconv merge.evil.driver
    merge.tool gpg.program gpg.ssh.program filter.evil.clean filter.evil.smudge filter.evil.process
    lfs.extension.evil.clean lfs.customtransfer.evil.path lfs.standalonetransferagent sequence.editor pager.status
    pager.diff alias.status alias.log hook.evil.command remote.origin.uploadpack uploadpack.packObjectsHook
    difftool.evil.cmd mergetool.evil.cmd interactive.diffFilter
"""
"""Settings of git that name a program."""

SWITCHES = {
    "log.showSignature": "true",
    "merge.verifySignatures": "true",
    "merge.autoStash": "true",
    "commit.gpgSign": "true",
    "filter.evil.required": "true",
    "hook.evil.event": "post-index-change",
    "submodule.recurse": "true",
    "submodule.inner.ignore": "none",
    "extensions.worktreeConfig": "true",
    "core.untrackedCache": "true",
}
"""Settings that have git use such a program where it would not."""


def with_settings(file: Path, canary: Path) -> None:
    """A git directory's own settings, and what they include, name a program wherever git takes one."""
    lines = [f"touch {canary} #{key}" for key in PROGRAMS.split()]
    rows = list(zip(PROGRAMS.split(), lines, strict=True)) + list(SWITCHES.items())
    for number, (key, value) in enumerate(rows):
        git(file.parent, "config", "--file", str(file if number % 2 else file.with_name("more")), key, value)
    (file.parent / "lead").symlink_to("info")
    (file.parent / "info").mkdir(exist_ok=True)
    git(file.parent, "config", "--file", str(file), "include.path", "lead/../more")
    (file.parent / "info/attributes").write_text("* filter=evil diff=evil merge=evil\n")


def with_inner(project: Project, canary: Path) -> None:
    """The index holds a repository whose settings name a program, and a file in it looks changed."""
    inner = project.root / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "a").write_text("a\n")
    git(inner, "add", "-A")
    git(inner, "-c", "user.name=M", "-c", "user.email=m@localhost", "commit", "-q", "-m", "inner")
    project.git("update-index", "--add", "--cacheinfo", f"160000,{git(inner, 'rev-parse', 'HEAD')},inner")
    (inner / "a").write_text("b\n")
    with_settings(inner / ".git/config", canary)


def played(
    project: Project, folder: Path, *more: str, every: Sequence[tuple[str, ...]] = EVERY, places: Sequence[Path] = ()
) -> list[str]:
    """What was not as it must be; `more` is typed with every command, each of them in one of the `places`."""
    home, wrong = folder / "home", []
    home.mkdir()
    settings = (project.root / "shiftwork.toml").read_bytes()
    homes = {name: str(folder / name.lower()) for name in ("SHIFTWORK_CACHE_HOME", "SHIFTWORK_STATE_HOME")}
    env = project.environment(HOME=str(home), SHIFTWORK_TRUST="", **homes)
    before = content(folder / "outside")
    for number, words in enumerate(every):
        # What the user agrees to by one command, such as `trust`, is not agreed to for the next.
        own = {**env, "SHIFTWORK_CONFIG_HOME": str(folder / f"config-{number}")}
        (project.root / "shiftwork.toml").write_bytes(settings)  # one may have written its own
        place = places[number % len(places)] if places else project.root
        try:
            ended = typed((*words, *more), place, own)
        except TimeoutError:
            wrong.append(f"{words} hangs")
            continue
        message = ended.stdout + ended.stderr
        if ended.returncode not in CODES or "should not have happened" in message:
            wrong.append(f"{words} ended with {ended.returncode}: {message}")
        if "\x1b" in message:
            wrong.append(f"{words} writes escapes: {message!r}")
        if (folder / "canary").exists():
            wrong.append(f"{words} executed something")
            (folder / "canary").unlink()
        if content(folder / "outside") != before or any(home.iterdir()):
            wrong.append(f"{words} wrote elsewhere")
            before = content(folder / "outside")
    for place in places or [project.root]:  # `board`, and `run --detach`, may have started one
        warm.run(("serve", "--stop"), cwd=place, env=env, timeout=SOON)
    return wrong


def typed(words: Sequence[str], place: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """To its end; the server is asked to end, after a while in which it does what it does at its start."""
    if words[0] != "serve":
        return warm.run(words, cwd=place, env=env, timeout=SOON)
    with warm.received(words, cwd=place, env=env) as server:
        deadline = time.monotonic() + A_WHILE
        while server.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
        server.send_signal(signal.SIGTERM)
        message, _ = server.communicate(timeout=SOON)
        return subprocess.CompletedProcess(words, server.wait(SOON), message, "")


def cloned(folder: Path) -> Project:
    theirs = hostile(folder)
    git(folder, "clone", "-q", str(theirs.root), "clone")
    return Project(root=folder / "clone", agent=theirs.agent)


def copied(folder: Path) -> Project:
    """With state, hooks and settings of git that a clone would not have."""
    theirs, canary = hostile(folder), folder / "canary"
    state = theirs.state
    state.mkdir()
    filtering(state / "hub.git", canary)
    for name in ("hooks/post-checkout", "hooks/reference-transaction", "hooks/pre-commit"):
        (theirs.root / ".git" / name).parent.mkdir(exist_ok=True)
        (theirs.root / ".git" / name).write_text(f"#!/bin/sh\ntouch {canary}\n")
        (theirs.root / ".git" / name).chmod(0o755)
    (state / "project").write_text("0123456789ab\n")
    (state / "state.db").symlink_to(folder / "outside/precious")
    (state / "state.db-wal").write_bytes(b"planted")
    os.mkfifo(state / "state.db-shm")
    (state / "indexes").symlink_to(folder / "outside")
    (state / ESCAPE).mkdir()
    with_inner(theirs, canary)
    with_settings(theirs.root / ".git/config", canary)
    return theirs


def linked(folder: Path) -> Project:
    """With its state elsewhere."""
    theirs = copied(folder)
    theirs.state.rename(folder / "outside/state")
    theirs.state.symlink_to(folder / "outside/state")
    return theirs


def test_every_command_in_a_hostile_clone_or_copied_folder(tmp_path: Path) -> None:
    """Each command in one of them; in which one changes with the seed of the tests, and so with each commit."""
    kinds = random.sample((cloned, copied, linked), 3)
    for number, kind in enumerate(kinds):
        folder = tmp_path / kind.__name__
        folder.mkdir()
        project = kind(folder)
        before = content(project.root / ".shiftwork")
        more = ["--json"] if kind is linked else []
        assert not played(project, folder, *more, every=EVERY[number :: len(kinds)]), kind.__name__
        assert kind is not cloned or content(project.root / ".shiftwork") == before


def test_every_command_in_a_hostile_place(tmp_path: Path) -> None:
    """A folder of a repository, a worktree, a submodule, a bare repository, and a folder that only looks like one; each
    command in one of them.
    """
    theirs, canary = hostile(tmp_path), tmp_path / "canary"
    settings = theirs.root / "shiftwork.toml"
    settings.write_text(f'{settings.read_text()}\n[store]\nurl = "sqlite:///{tmp_path}/outside/planted.db"\n')
    theirs.git("commit", "-q", "-a", "-m", "store")
    theirs.git("worktree", "add", "-q", str(tmp_path / "tree"))
    git(tmp_path, "clone", "-q", "--bare", str(theirs.root), "bare")
    (tmp_path / "outer").mkdir()
    git(tmp_path / "outer", "init", "-q")
    local = ("-c", "protocol.file.allow=always")
    git(tmp_path / "outer", *local, "submodule", "--quiet", "add", str(theirs.root), "module")
    below = theirs.root / "below"
    below.mkdir()
    seeming = theirs.root / "seeming"
    for name in ("objects", "refs", "info"):
        (seeming / name).mkdir(parents=True)
    (seeming / "HEAD").write_text("ref: refs/heads/main\n")
    (seeming / "config").write_text("[core]\n\tbare = false\n\tworktree = ..\n")
    own = (tmp_path / "outer/.git/modules/module/config", tmp_path / "bare/config", seeming / "config")
    for file in (theirs.root / ".git/config", *own):
        with_settings(file, canary)
    places = (below, tmp_path / "tree", tmp_path / "outer/module", tmp_path / "bare", seeming)
    assert not played(theirs, tmp_path, places=places)


def test_no_module_of_a_hostile_folder_is_loaded(tmp_path: Path) -> None:
    """Runs the installed command in its own process."""
    theirs, canary = hostile(tmp_path), tmp_path / "canary"
    for name in ("sitecustomize", "usercustomize", "click", "tomllib", "json", "asyncio", "shiftwork/__init__"):
        (theirs.root / f"{name}.py").parent.mkdir(exist_ok=True)
        (theirs.root / f"{name}.py").write_text(f"open({str(canary)!r}, 'w')\nraise SystemExit(3)\n")
    for words in (("doctor", "--json"), ("status",)):
        with theirs.installed(*words) as process:
            message = process.communicate(timeout=SOON)[0]
        assert process.returncode in CODES, message
    assert not canary.exists()
