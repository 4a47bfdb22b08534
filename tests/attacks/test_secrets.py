"""Attacks on the user's data that agents and gates receive: untracked files, variables."""

import asyncio
import json
import os
import stat
from pathlib import Path

from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.bootstrap.work.agents import Place, build_agent
from shiftwork.config.settings.settings import load_settings
from shiftwork.config.site import find_site
from shiftwork.testing.git_user import new_user
from tests.attacks.secrets_rig import SECRET, row
from tests.attacks.state_rig import settled, typed
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.conformance.workspace.git.git_rig import PLACE, hub_git, hub_of, prepared, workspaces_of
from tests.e2e.cli_rig import WORKING, Project, new_project
from tests.unit.agents.launch_rig import task

# Files that are in no commit ----------------------------------------------------------------------------------------


def with_secret(folder: Path, agent: str = WORKING, gates: str = 'test = "true"') -> Project:
    """A repository whose checkout has an ignored file with a password, and settings that the user has trusted."""
    project = new_project(folder)
    (project.root / ".gitignore").write_text(".env\n")
    project.git("add", ".gitignore")
    project.git("commit", "-q", "-m", "ignore")
    (project.root / ".env").write_text(f"{SECRET}\n")
    project.settle(agent=agent, gates=gates)
    assert project.shiftwork("trust", SHIFTWORK_TRUST="").returncode == 0
    return project


@attack(row("a story lands a .worktreeinclude that names .env", Severity.HIGH, Harm.SECRETS, seen=8))
def test_landed_list(tier: str, tmp_path: Path) -> Outcome:
    project = with_secret(tmp_path, "echo .env > .worktreeinclude; cat .env > leaked.txt 2> /dev/null\n" + WORKING)
    first = typed(project, tier, "run", "First", "--workflow", "ralph", trusted=False)
    assert first.returncode == 0, first
    project.git("merge", "-q", "--ff-only", "HEAD")
    landed = (project.root / ".worktreeinclude").read_text() == ".env\n"
    second = typed(project, tier, "run", "Second", "--workflow", "ralph", trusted=False)
    refused = second.returncode == 64 and "shiftwork trust" in second.stderr and "copies  .env" in second.stderr
    return settled(landed, refused, SECRET not in project.git("log", "-p", "--all"))


@attack(row("a story puts the lines of .worktreeinclude in another order", Severity.HIGH, Harm.SECRETS))
def test_list_in_another_order(tier: str, tmp_path: Path) -> Outcome:
    """Of two patterns that match a file the later one counts: what the user has left out would be copied."""
    project = with_secret(tmp_path, "cat .env > leaked.txt 2> /dev/null\n" + WORKING)
    (project.root / ".worktreeinclude").write_text(".env*\n!.env\n")
    assert project.shiftwork("trust", SHIFTWORK_TRUST="").returncode == 0
    first = typed(project, tier, "run", "First", "--workflow", "ralph", trusted=False)
    assert first.returncode == 0, first
    (project.root / ".worktreeinclude").write_text("!.env\n.env*\n")
    second = typed(project, tier, "run", "Second", "--workflow", "ralph", trusted=False)
    shown = " ".join(second.stderr.split())
    refused = second.returncode == 64 and "- copies .env* - copies !.env + copies !.env + copies .env*" in shown
    return settled(refused, SECRET not in project.git("log", "-p", "--all"))


@attack(row("a clone brings a .worktreeinclude, and doctor --gates or init is typed", Severity.HIGH, Harm.SECRETS))
def test_list_of_a_clone(tier: str, tmp_path: Path) -> Outcome:
    project = with_secret(tmp_path, gates='test = "! test -e .env"')
    (project.root / ".worktreeinclude").write_text(".env\n")
    looked = typed(project, tier, "doctor", "--gates", "--json", trusted=False)
    gates = [item for item in json.loads(looked.stdout)["checks"] if item["name"] == "gates"]
    unseen = "passed in" in gates[-1]["detail"] or "red in your checkout" in gates[-1]["detail"]
    (project.root / "Makefile").write_text("test:\n\t! test -e .env\n")
    project.git("add", "Makefile")
    project.git("commit", "-q", "-m", "make")
    made = typed(project, tier, "init", "--force", "--json", trusted=False)
    green = [item["passed"] for item in json.loads(made.stdout)["gates"]]
    return settled(unseen, False not in green, "until you agree, none is copied" in looked.stdout)


@attack(row("a story empties the list, so that the copy it was given is committed", Severity.HIGH, Harm.SECRETS))
def test_emptied_list(tmp_path: Path) -> Outcome:
    user = new_user(tmp_path)
    user.write(".env", SECRET)  # not ignored by any rule of the repository
    workspaces = workspaces_of(user, included=(".env",))
    tree = prepared(workspaces, user)
    assert (tree / ".env").read_text() == SECRET
    hub_of(user)  # another command is typed meanwhile
    (tree / "new.txt").write_text("work\n")
    commit = asyncio.run(workspaces_of(user).snapshot(PLACE, user.at("HEAD"), "step"))
    return settled(hub_git(user, "diff", "--name-only", user.at("HEAD"), commit) == "new.txt")


@attack(
    row("a copied file has a line break in its name, so that no ignore rule can name it", Severity.LOW, Harm.SECRETS)
)
def test_line_break(tmp_path: Path) -> Outcome:
    user = new_user(tmp_path)
    user.write(".env\nx", SECRET)
    workspaces = workspaces_of(user, included=(".env*",))
    prepared(workspaces, user)
    commit = asyncio.run(workspaces.snapshot(PLACE, user.at("HEAD"), "step"))
    return settled(SECRET not in hub_git(user, "show", commit))


# Variables ----------------------------------------------------------------------------------------------------------

LOGINS = {
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "GOOGLE_API_KEY": SECRET,
    "AZURE_CLIENT_SECRET": SECRET,
    "OPENAI_API_KEY": SECRET,
}


def environment_of(agent: str, root: Path, home: Path, **more: str) -> str:
    """What its program would be started with."""
    (root / "shiftwork.toml").write_text(f'[agent]\nuse = "{agent}"\n')
    env = {"PATH": os.defpath, "HOME": str(home), **LOGINS, **more}
    built = build_agent(load_settings(root, {}), Place(env=env, root=root))
    assert isinstance(built, ProcessAgent)
    return json.dumps(dict(built._driver.launch(task()).env))


@attack(row("an agent reads the logins of clouds in its environment", Severity.MEDIUM, Harm.SECRETS, seen=23))
def test_cloud_logins(tmp_path: Path) -> Outcome:
    used = environment_of("claude-code", tmp_path, tmp_path, CLAUDE_CODE_USE_BEDROCK="1")
    assert used.count(SECRET) == 1, "where it is used, it is there"
    return settled(*(SECRET not in environment_of(name, tmp_path, tmp_path) for name in ("claude-code", "codex")))


@attack(row("the repository's own agent settings name a cloud to be given its login", Severity.HIGH, Harm.SECRETS))
def test_cloud_named_by_the_repository(tmp_path: Path) -> Outcome:
    home = tmp_path / "home"
    home.mkdir()
    for folder in (".claude", ".codex"):
        (tmp_path / folder).mkdir()
    (tmp_path / ".claude/settings.json").write_text('{"env": {"CLAUDE_CODE_USE_BEDROCK": "1"}}')
    named = 'model_provider = "x"\n[model_providers.x]\nenv_key = "OPENAI_API_KEY"\n'
    (tmp_path / ".codex/config.toml").write_text(named)
    return settled(*(SECRET not in environment_of(name, tmp_path, home) for name in ("claude-code", "codex")))


# Other users of the machine -----------------------------------------------------------------------------------------


def open_to_others(path: Path) -> bool:
    return bool(stat.S_IMODE(path.lstat().st_mode) & 0o077)


@attack(row("another user reads workspaces in a cache folder that was open before", Severity.MEDIUM, Harm.SECRETS))
def test_open_cache(tier: str, tmp_path: Path) -> Outcome:
    project = new_project(tmp_path)
    assert project.shiftwork("doctor").returncode == 0
    site = find_site(project.root, project.environment())
    site.cache.mkdir(parents=True, exist_ok=True)
    site.cache.chmod(0o777)
    assert typed(project, tier, "run", "Go", "--workflow", "ralph").returncode == 0
    return settled(not open_to_others(site.cache))


@attack(row("another user reads a run that was exported", Severity.MEDIUM, Harm.SECRETS))
def test_open_exports(tier: str, tmp_path: Path) -> Outcome:
    project = new_project(tmp_path)
    assert typed(project, tier, "run", "Go", "--workflow", "ralph").returncode == 0
    files = [tmp_path / name for name in ("run.json", "report.html")]
    for word, file in zip(("export", "report"), files, strict=True):
        ended = typed(project, tier, word, "--output", str(file))
        assert ended.returncode == 0, ended
    return settled(*(not open_to_others(file) for file in files))
