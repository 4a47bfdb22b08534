"""Attacks on the user's login and on the folder that holds it: by an agent in its session, in a real sandbox."""

import asyncio
import json
import os
from pathlib import Path

from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.adapters.agents.claude_code import ClaudeCode
from shiftwork.adapters.agents.codex import Codex
from shiftwork.adapters.agents.login.lender import FOLDER, Lender
from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.adapters.sandbox.sandbox import OPEN
from shiftwork.ports.agent import AgentLimits, AgentTask
from tests.attacks.secrets_rig import SECRET, open_without, row
from tests.attacks.state_rig import content, settled
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.conformance.agents.login_rig import new_account
from tests.conformance.sandbox.sandbox_rig import BWRAP


class Session:
    """A program in the place of an agent, and the user whose login it works with."""

    def __init__(self, root: Path, tier: str, *, codex: bool = False) -> None:
        self.home = root / "user"
        self.folder = self.home / (".codex" if codex else ".claude")
        self.folder.mkdir(parents=True)
        self._root, self._tier, self._codex = root, tier, codex
        oauth = {"accessToken": "access", "refreshToken": f"{SECRET}-refresh", "expiresAt": 4_000_000_000_000}
        stored = {"claudeAiOauth": oauth, "mcpOAuth": {"tickets": f"{SECRET}-tickets"}}
        if not codex:
            (self.folder / ".credentials.json").write_text(json.dumps(stored))

    def does(self, script: str, **env: str) -> str:
        """What the script prints, that is run as the agent: as it was, before anything of it is kept."""
        program = self._root / "tools/bin/agent"
        program.parent.mkdir(parents=True, exist_ok=True)
        workdir = self._root / "workdir"
        workdir.mkdir(exist_ok=True)
        printed = workdir / "printed"
        program.write_text(f"#!/bin/sh\ncat > /dev/null\n(\n{script}\n) > {printed}\ncat {printed}\n")
        program.chmod(0o755)
        task = AgentTask(
            prompt="Do it.",
            workdir=workdir,
            home=self._root / "attempt",
            log=self._root / "log",
            marker=f"login{self._root}",
            limits=AgentLimits(wall_seconds=60, silence_seconds=60),
            env=env,
        )
        user = {"PATH": os.defpath, "HOME": str(self.home)}
        driver = Codex(program=program, env=user) if self._codex else ClaudeCode(program=program, env=user)
        around = Bubblewrap(program=BWRAP, home=self.home, repository=self._root / "repository")
        agent = ProcessAgent(
            driver, around if self._tier == "auto" else OPEN, lender=Lender(locks=self._root / "locks")
        )
        asyncio.run(agent.attempt(task, lambda _: None))
        return printed.read_text()

    @property
    def log(self) -> str:
        return (self._root / "log").read_text()


@attack(open_without("an agent reads transcripts and tokens beside the login", Severity.HIGH, Harm.SECRETS, seen=9))
def test_reads_beside_the_login(tier: str, tmp_path: Path) -> Outcome:
    session = Session(tmp_path, tier)
    for name in ("projects/-other/x.jsonl", "shell-snapshots/s.sh", "history.jsonl", "todos/t.json", "statusline.sh"):
        (session.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (session.folder / name).write_text(SECRET)
    output = session.does("find ~/.claude -type f; cat $(find ~/.claude -type f | grep -v credentials)")
    return settled(SECRET not in output, ".credentials.json" in output)


@attack(open_without("an agent writes scripts that the user's own session runs", Severity.HIGH, Harm.EXECUTION))
def test_writes_scripts(tier: str, tmp_path: Path) -> Outcome:
    session = Session(tmp_path, tier)
    (session.folder / "shell-snapshots").mkdir()
    (session.folder / "statusline.sh").write_text("echo\n")
    before = content(session.folder)
    session.does("for n in shell-snapshots/s.sh statusline.sh; do echo evil > ~/.claude/$n; done")
    return settled(content(session.folder) == before)


@attack(open_without("an agent makes settings where there are none yet", Severity.HIGH, Harm.EXECUTION))
def test_makes_settings(tier: str, tmp_path: Path) -> Outcome:
    held = []
    for codex, names in (
        (False, "settings.json settings.local.json CLAUDE.md hooks"),
        (True, "config.toml hooks.json"),
    ):
        session = Session(tmp_path / str(codex), tier, codex=codex)
        before = content(session.folder)
        session.does(f"cd {session.folder}; for n in {names}; do echo evil > $n; done")
        held.append(content(session.folder) == before)
    return settled(*held)


@attack(open_without("an agent carries the token away that renews the login", Severity.HIGH, Harm.SECRETS))
def test_reads_refresh_token(tier: str, tmp_path: Path) -> Outcome:
    output = Session(tmp_path, tier).does("cat ~/.claude/.credentials.json")
    return settled("accessToken" in output, f"{SECRET}-refresh" not in output)


@attack(open_without("an agent reads tokens of other services in the file of the login", Severity.HIGH, Harm.SECRETS))
def test_reads_other_services(tier: str, tmp_path: Path) -> Outcome:
    output = Session(tmp_path, tier).does("cat ~/.claude/.credentials.json")
    return settled("accessToken" in output, f"{SECRET}-tickets" not in output)


@attack(open_without("an agent reads what other projects have in .claude.json", Severity.MEDIUM, Harm.SECRETS))
def test_reads_other_projects(tier: str, tmp_path: Path) -> Outcome:
    session = Session(tmp_path, tier)
    project = {"mcpServers": {"db": {"env": {"TOKEN": SECRET}}}, "history": [{"display": SECRET}]}
    (session.home / ".claude.json").write_text(json.dumps({"userID": "u", "projects": {"/other": project}}))
    output = session.does("cat ~/.claude.json")
    return settled("userID" in output, SECRET not in output)


@attack(open_without("an agent exchanges the login for another account's", Severity.HIGH, Harm.WRITES))
def test_exchanges_the_login(tier: str, tmp_path: Path) -> Outcome:
    session = Session(tmp_path, tier)
    before = (session.folder / ".credentials.json").read_text()
    theirs = '{"claudeAiOauth":{"accessToken":"t","refreshToken":"t","expiresAt":4900000000000}}'
    session.does(f"echo '{theirs}' > ~/.claude/x; mv ~/.claude/x ~/.claude/.credentials.json")
    return settled((session.folder / ".credentials.json").read_text() == before)


def kept(tmp_path: Path, traps: str) -> tuple[bool, bool]:
    """A session that sets traps in its folder while the login is renewed: whether nothing outside has changed, and
    whether the user is still logged in.
    """
    account, home = new_account(tmp_path), tmp_path / "home"
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / ".credentials.json").write_text("precious")
    before = content(outside)

    async def works() -> None:
        async with Lender(locks=tmp_path / "locks", poll_seconds=0.02).lending(account.login, home, kept=True):
            trap = await asyncio.create_subprocess_shell(f"cd {home}; rm {FOLDER}/.credentials.json; {traps}")
            await trap.wait()
            account.ends_in(5)
            async with asyncio.timeout(20):
                while not account.asked:
                    await asyncio.sleep(0.02)
            await asyncio.sleep(0.5)

    asyncio.run(works())
    return content(outside) == before, account.is_logged_in


@attack(row("a session puts a link where the renewed login is written", Severity.HIGH, Harm.WRITES))
def test_link_at_the_copy(tmp_path: Path) -> Outcome:
    return settled(*kept(tmp_path, f"ln -s {tmp_path}/outside/.credentials.json {FOLDER}/.credentials.json"))


@attack(row("a session puts a link in the place of its whole login folder", Severity.HIGH, Harm.WRITES))
def test_link_at_the_folder(tmp_path: Path) -> Outcome:
    return settled(*kept(tmp_path, f"mv {FOLDER} away; ln -s {tmp_path}/outside {FOLDER}"))


@attack(row("a session puts a pipe or a folder where the renewed login is written", Severity.MEDIUM, Harm.DENIAL))
def test_pipe_at_the_copy(tmp_path: Path) -> Outcome:
    pipe = kept(tmp_path / "a", f"mkfifo {FOLDER}/.credentials.json")
    folder = kept(tmp_path / "b", f"mkdir -p {FOLDER}/.credentials.json/x")
    return settled(*pipe, *folder)


@attack(row("sessions at once renew a login whose tokens can be used once", Severity.MEDIUM, Harm.DENIAL))
def test_parallel_renewal(tmp_path: Path) -> Outcome:
    account = new_account(tmp_path, seconds=-1)

    async def session(number: int) -> None:
        async with Lender(locks=tmp_path / "locks").lending(account.login, tmp_path / f"h{number}", kept=True):
            pass

    async def all_of_them() -> None:
        await asyncio.gather(*map(session, range(8)))

    asyncio.run(all_of_them())
    return settled(account.is_logged_in, account.asked == ["refresh-0"])


@attack(row("a program in the workspace's .venv runs when the login is renewed", Severity.CRITICAL, Harm.EXECUTION))
def test_renewal_finds_the_workspace(tier: str, tmp_path: Path) -> Outcome:
    session = Session(tmp_path, tier)
    stored = json.loads((session.folder / ".credentials.json").read_text())
    stored["claudeAiOauth"]["expiresAt"] = 1
    (session.folder / ".credentials.json").write_text(json.dumps(stored))
    evil, canary = tmp_path / "workdir/.venv/bin", tmp_path / "canary"
    evil.mkdir(parents=True)
    (evil / "helper").write_text(f"#!/bin/sh\ntouch {canary}\n")
    (evil / "helper").chmod(0o755)
    renews = f'case "$*" in *haiku*) helper; env > {tmp_path}/renewed; pwd >> {tmp_path}/renewed;; esac'
    session.does(renews, PATH=f"{evil}:{os.defpath}", VIRTUAL_ENV=str(evil.parent))
    if tier == "none":
        return settled(not canary.exists())  # nothing is renewed for an agent that has the user's own folder
    renewed = (tmp_path / "renewed").read_text()
    return settled(
        not canary.exists(), str(tmp_path / "workdir") not in renewed, str(tmp_path / "attempt") not in renewed
    )
