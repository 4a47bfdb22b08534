"""Attacks by the settings of a git directory from an attacker's archive: programs, includes, borrowed objects."""

import asyncio
import json
import os
from pathlib import Path

from shiftwork.adapters.workspace.git.user_git import user_git
from shiftwork.adapters.workspace.hub.agent_repository import lenders
from shiftwork.bootstrap.work.repository import uncommitted
from shiftwork.errors import ShiftworkError
from shiftwork.testing.git_user import GitUser, new_user
from tests.attacks.git_rig import answered, refusal, row, trap
from tests.attacks.state_rig import SOON, settled, typed
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.attacks.test_hostile_git_files import opened, site_of
from tests.conformance.workspace.git.git_rig import GitRig
from tests.e2e.cli_rig import new_project
from tests.patience import Stopwatch


def filtered(user: GitUser, canary: Path, *, required: str = "false") -> None:
    """The repository's own settings have every text file go through a program."""
    program = trap(user.root.parent / "trap", canary)
    for name in ("clean", "smudge", "process"):
        user.git("config", f"filter.evil.{name}", str(program))
    user.git("config", "filter.evil.required", required)


def touched(user: GitUser) -> None:
    """A file looks changed and is as long as before, so that git must read it to know."""
    file = next(user.root.glob("*.txt"))
    file.write_text(file.read_text().swapcase())
    os.utime(file, (1, 1))


@attack(row("a filter of .git/config runs where a checkout is looked at", Severity.CRITICAL, Harm.EXECUTION))
def test_filter_when_looking(tmp_path: Path) -> Outcome:
    user, canary = new_user(tmp_path), tmp_path / "canary"
    user.commit("attributes", {".gitattributes": "* filter=evil\n", "a.txt": "text\n"})
    filtered(user, canary)
    touched(user)
    changed = asyncio.run(uncommitted(site_of(user), user.env))
    held = not canary.exists()
    user.try_git("status")
    assert canary.exists(), "git itself falls for it"
    return settled(held, "a.txt" in changed)


@attack(row("a filter of .git/config runs where work begins or lands", Severity.CRITICAL, Harm.EXECUTION))
def test_filter_at_work(tier: str, tmp_path: Path) -> Outcome:
    """Unless the user has agreed, nothing begins, and what to type is said."""
    project, canary = new_project(tmp_path), tmp_path / "canary"
    (project.root / ".gitattributes").write_text("* filter=evil\n")
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "attributes")
    project.git("config", "filter.evil.smudge", f"touch {canary}; cat")
    project.git("config", "filter.evil.clean", f"touch {canary}; cat")
    typed(project, tier, "trust", "shiftwork.toml", trusted=False)
    done = typed(project, tier, "run", "x", "--workflow", "ralph", trusted=False)
    shown = json.loads(typed(project, tier, "trust", "--show", "--json", trusted=False).stdout)["git"]
    held = not canary.exists() and "shiftwork trust" in done.stderr and done.returncode == 64
    typed(project, tier, "trust", trusted=False)
    again = typed(project, tier, "run", "x", "--workflow", "ralph", trusted=False)
    assert again.returncode == 0, again
    assert canary.exists(), "what was agreed to is run"
    return settled(
        held, not shown["trusted"], "filter.evil.smudge" in {command["where"] for command in shown["commands"]}
    )


@attack(row("a filter is put into .git/config while a run is under way", Severity.CRITICAL, Harm.EXECUTION))
def test_filter_in_between(tmp_path: Path) -> Outcome:
    rig, canary = GitRig(tmp_path), tmp_path / "canary"
    filtered(rig.user, canary)
    rig.land({".gitattributes": "* filter=evil\n", "work.txt": "work\n"})
    return settled(not canary.exists(), (rig.user.root / "work.txt").read_text() == "work\n")


@attack(row("a filter of a repository takes the name of the user's own", Severity.HIGH, Harm.EXECUTION))
def test_filter_with_the_name_of_another(tmp_path: Path) -> Outcome:
    rig, canary = GitRig(tmp_path), tmp_path / "canary"
    rig.user.git("config", "--global", "filter.loud.smudge", "tr a-z A-Z")
    rig.user.git("config", "filter.loud.smudge", str(trap(tmp_path / "trap", canary)))
    rig.land({".gitattributes": "*.loud filter=loud\n", "x.loud": "mine\n"})
    return settled(not canary.exists(), (rig.user.root / "x.loud").read_text() == "MINE\n")


LFS = """\
#!/bin/sh
for key in lfs.extension.evil.clean lfs.standalonetransferagent core.sshcommand; do
  program=$(git config $key); test -z "$program" || sh -c "$program" > /dev/null
done
printf 'protocol=https\\nhost=example.org\\n\\n' | git credential fill > /dev/null 2>&1
cat
"""
"""What git-lfs does with a repository's settings, as far as it starts programs: extensions, transfers, logins."""


@attack(row("settings name programs for a filter of the user's own to run", Severity.CRITICAL, Harm.EXECUTION))
def test_programs_of_lfs(tmp_path: Path) -> Outcome:
    """Attributes in the git directory send every file through the user's git-lfs; a script stands in for it."""
    user, canary = new_user(tmp_path), tmp_path / "canary"
    user.commit("files", {"a.txt": "text\n"})
    own = tmp_path / "git-lfs"
    own.write_text(LFS)
    own.chmod(0o755)
    user.git("config", "--global", "filter.lfs.clean", str(own))
    (user.root / ".git/info").mkdir(exist_ok=True)
    (user.root / ".git/info/attributes").write_text("* filter=lfs\n")
    settings = ("lfs.extension.evil.clean", "lfs.standalonetransferagent", "core.sshCommand", "credential.helper")
    for key in settings:
        user.git("config", key, f"{'!' if key.startswith('credential') else ''}echo {key} >> {canary}; true")
    touched(user)
    changed = asyncio.run(uncommitted(site_of(user), user.env))
    held = not canary.exists()
    user.try_git("status")
    assert set(canary.read_text().split()) == set(settings), "git and git-lfs themselves fall for it"
    return settled(held, len(changed) > 0)


@attack(row("a file that .git/config includes names a program", Severity.CRITICAL, Harm.EXECUTION))
def test_included_filter(tmp_path: Path) -> Outcome:
    rig, canary = GitRig(tmp_path), tmp_path / "canary"
    program = trap(tmp_path / "trap", canary)
    more = rig.user.root / ".git/more"
    more.write_text(f'[filter "evil"]\n\tsmudge = {program}\n\tclean = {program}\n')
    rig.user.git("config", "includeIf.onbranch:main.path", "more")
    rig.land({".gitattributes": "* filter=evil\n", "work.txt": "work\n"})
    return settled(not canary.exists(), (rig.user.root / "work.txt").read_text() == "work\n")


@attack(row("a pipe that .git/config includes is waited for", Severity.MEDIUM, Harm.DENIAL))
def test_included_pipe(tmp_path: Path) -> Outcome:
    user = new_user(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    user.git("config", "include.path", "/nowhere")
    config = user.root / ".git/config"
    config.write_text(config.read_text().replace("/nowhere", str(tmp_path / "pipe")))
    watch, message = Stopwatch(), ""
    try:
        user_git(root=user.root, state=user.root / ".git/shiftwork", env=user.env)
    except ShiftworkError as error:
        message = error.message
    return settled("not a regular file" in message, watch.within(SOON))


@attack(row("a filter has a name of 200,000 letters", Severity.LOW, Harm.DENIAL))
def test_long_name(tmp_path: Path) -> Outcome:
    rig = GitRig(tmp_path)
    with (rig.user.root / ".git/config").open("a") as config:
        config.write(f'[filter "{"x" * 200_000}"]\n\tclean = cat\n')
    return settled("has a name of" in refusal(rig))


@attack(row("a hook is named by a setting and not by a file", Severity.HIGH, Harm.EXECUTION))
def test_configured_hook(tmp_path: Path) -> Outcome:
    """Git reads it from 2.54 on; for an older git the test checks the settings that git receives."""
    rig, canary = GitRig(tmp_path), tmp_path / "canary"
    rig.user.git("config", "hook.evil.command", str(trap(tmp_path / "trap", canary)))
    rig.user.git("config", "hook.evil.event", "reference-transaction")
    theirs = user_git(root=rig.user.root, state=rig.user.state, env=rig.user.env)
    enabled = answered(theirs, "config", "--get-all", "hook.evil.enabled")
    rig.land({"work.txt": "work\n"})
    return settled(enabled.splitlines()[-1:] == ["false"], not canary.exists())


# Objects that are borrowed -------------------------------------------------------------------------------------------


def lent(user: GitUser) -> str:
    """What agents could read of this machine's objects, or why there is none."""
    rig = opened(user)
    assert isinstance(rig, GitRig)
    try:
        return " ".join(map(str, lenders(rig.hub)))
    except ShiftworkError as error:
        return f"refused: {error.message}" if error.hint else ""


@attack(row("objects are borrowed from a folder of the user's that holds none", Severity.HIGH, Harm.SECRETS))
def test_borrowed_home(tmp_path: Path) -> Outcome:
    user = new_user(tmp_path)
    (user.home / ".ssh").mkdir(parents=True)
    (user.home / ".ssh/id_rsa").write_text("secret\n")
    (user.root / ".git/objects/info").mkdir(exist_ok=True)
    (user.root / ".git/objects/info/alternates").write_text(f"{user.home}/.ssh\n")
    return settled(lent(user).startswith("refused: .git/objects/info/alternates names"))


@attack(row("objects are borrowed from a private repository of the user's", Severity.HIGH, Harm.SECRETS))
def test_borrowed_repository(tmp_path: Path) -> Outcome:
    user, private = new_user(tmp_path), new_user(tmp_path / "private")
    (user.root / ".git/objects/info").mkdir(exist_ok=True)
    (user.root / ".git/objects/info/alternates").write_text(f"{private.root}/.git/objects\n")
    answer = lent(user)
    return settled(answer.startswith("refused: this repository borrows objects"), "you have not agreed" in answer)
