"""Attacks on consent: files of a repository that run a command, or lower a guard, before the user has agreed."""

import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.bootstrap.workflows import choose
from shiftwork.config.site import find_site
from shiftwork.domain.gates.gate import Gate
from shiftwork.entrypoints.cli.env.trust import book
from tests import warm
from tests.app.landing.test_gating import BAD, CHECK, GOOD, LAX, refusals, work
from tests.app.projects import make_repository
from tests.app.rig import Rig
from tests.attacks.state_rig import settled, typed
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.e2e.cli_rig import SHIFTWORK, WORKING, Project, environment, new_project
from tests.patience import SECONDS
from tests.tier import TIER_VARIABLE

EX_USAGE = 64
RALPH = ("run", "--workflow", "ralph", "Say hello")


def row(name: str, severity: Severity, harm: Harm = Harm.CONSENT, seen: int | None = None) -> Attack:
    return Attack(name=name, layer="trust", severity=severity, harm=harm, seen=seen)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path)


def agreed(project: Project, what: str = "") -> None:
    assert typed(project, "none", "trust", *([what] if what else []), trusted=False).returncode == 0


def asks(project: Project, tier: str, *words: str, about: str) -> bool:
    """Whether the command stops before anything is run, and shows what it asks about."""
    completed = typed(project, tier, *words, trusted=False)
    return completed.returncode == EX_USAGE and about in " ".join(completed.stderr.split())


def flow(project: Project, name: str, text: str) -> Path:
    path = project.root / f"shiftwork/workflows/{name}.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


GUARDED = """\
id: {name}
version: 1
agents: [{{id: dev, role: coding}}]
steps:
  - id: stories
    type: loop
    body:
      - {{id: implement, agent: dev, input: "do {{{{current_story}}}}"}}
"""
SIGNED = "      - {id: sign-off, kind: approval, ask: Shall it land}\n"


# Settings -----------------------------------------------------------------------------------------------------------


@attack(row("settings change the branch, the agent, its tools or the time to wait", Severity.LOW, seen=26))
def test_settings_that_no_one_was_asked_about(tier: str, project: Project) -> Outcome:
    agreed(project)
    path = project.root / "shiftwork.toml"
    before = path.read_text()
    changed = {
        '[workspace]\nbranch = "release"\n': "workspace.branch release",
        "[limits]\nwait_hours = 99\n": "limits.wait_hours 99",
        '[notify.webhook]\nurl = "http://127.0.0.1:9"\n': "notify.webhook.url POST http://127.0.0.1:9",
    }
    held = []
    for more, about in changed.items():
        path.write_text(before + more)
        held.append(asks(project, tier, *RALPH, about=about))
    path.write_text(before.replace('use = "command"', 'use = "codex"\ntools = false'))
    held.append(asks(project, tier, *RALPH, about="+ agent.use codex"))
    return settled(*held)


@attack(row("settings let a test gate count though it sees nothing", Severity.HIGH, Harm.PROOF))
def test_blind_gates_allowed(tier: str, project: Project) -> Outcome:
    project.settle(gates='test = { command = "true" }')
    agreed(project)
    project.settle(gates='test = { command = "true", blind = "allow" }')
    return settled(asks(project, tier, *RALPH, about="+ gates.test.blind allow"))


@attack(row("settings blank out the command of a gate", Severity.HIGH, Harm.PROOF))
def test_blank_gate(tier: str, project: Project) -> Outcome:
    agreed(project)
    project.settle(gates='test = " "')
    return settled(asks(project, tier, *RALPH, about="a blank command always passes"))


PTY = """\
import os, pty, sys
pid, end = pty.fork()
if not pid:
    os.execv(sys.argv[1], sys.argv[1:])
os.write(end, b"y\\n")
try:
    while os.read(end, 65536):
        pass
except OSError:
    pass
"""
"""Runs a command on a terminal of its own, and types that it agrees."""

DETACHED = """\
import os, subprocess, sys
if not os.fork():
    os.setsid()
    if not os.fork():
        subprocess.run(sys.argv[2:], env={"PATH": os.environ["PATH"], "SHIFTWORK_CONFIG_HOME": sys.argv[1]})
        open(sys.argv[1] + ".done", "w").close()
"""
"""Runs a command as a daemon without any variable of the session."""


@attack(row("an agent sets a gate and agrees to it itself, with a terminal and without", Severity.HIGH))
def test_agent_agrees_to_its_gate(tier: str, project: Project) -> Outcome:
    config, scripts = project.root.parent / "config", project.shared
    (scripts / "pty.py").write_text(PTY, encoding="utf-8")
    (scripts / "detached.py").write_text(DETACHED, encoding="utf-8")
    setting = f'{SHIFTWORK} -C {project.root} config set gates.test "touch {scripts}/canary"'
    agreeing = f"{SHIFTWORK} -C {project.root} trust"
    ways = (
        f"{setting} < /dev/null",
        f"{agreeing} < /dev/null",
        f"{sys.executable} {scripts}/pty.py {setting}",
        f"{sys.executable} {scripts}/pty.py {agreeing}",
        f"env -i PATH=$PATH SHIFTWORK_CONFIG_HOME={config} {sys.executable} {scripts}/pty.py {setting}",
        f"env -i PATH=$PATH SHIFTWORK_CONFIG_HOME={config} {agreeing}",
        f"{sys.executable} {scripts}/detached.py {config} {sys.executable} {scripts}/pty.py {setting}",
        f"{sys.executable} {scripts}/detached.py {config} {agreeing}",
    )
    tries = "".join(
        f"rm -f {config}.done\n{way} > {scripts}/tried.{number} 2>&1\n"
        + (f"for i in 1 2 3 4 5 6 7 8 9 10; do [ -e {config}.done ] || sleep 1; done\n" if "detached" in way else "")
        for number, way in enumerate(ways)
    )
    project.settle(agent=f"export SHIFTWORK_CONFIG_HOME={config}\n{tries}{WORKING}")
    agreed(project)
    ran = warm.run(
        RALPH,
        cwd=project.root,
        env=project.environment(**{TIER_VARIABLE: tier, "SHIFTWORK_TRUST": ""}),
        timeout=4 * SECONDS,
    )
    tried = [(scripts / f"tried.{number}").read_text(encoding="utf-8") for number in range(len(ways))]
    asked = tier == "auto" or asks(project, tier, *RALPH, about="+ gates.test touch")
    refused = tier == "auto" or all("this is the session of an agent" in tried[number] for number in (1, 5, 7))
    return settled(ran.returncode in {0, 1}, asked, refused, not (scripts / "canary").exists())


# Workflows ----------------------------------------------------------------------------------------------------------


@attack(row("the repository's auto.yml replaces the default workflow", Severity.HIGH, seen=16))
def test_shadowed_default(tier: str, project: Project) -> Outcome:
    agreed(project)
    flow(project, "auto", GUARDED.format(name="auto"))
    asked = asks(project, tier, "run", "Say hello", about="replaces the built-in workflow auto")
    message = typed(project, tier, "doctor", trusted=False).stdout
    return settled(asked, "auto.yml has commands, guards or limits that you have not trusted" in message)


@attack(row("the repository's plan.yml runs its command when the user plans", Severity.CRITICAL, Harm.EXECUTION))
def test_shadowed_plan(tier: str, project: Project, tmp_path: Path) -> Outcome:
    agreed(project)
    steps = f"  - {{id: look, kind: gate, run: 'touch {tmp_path}/canary'}}\n"
    flow(project, "plan", f"id: plan\nversion: 1\nsteps:\n{steps}")
    typed(project, tier, "plan", "Say hello", trusted=False)
    return settled(not (tmp_path / "canary").exists())


@attack(row("the repository's workflow takes the place of the user's own", Severity.MEDIUM))
def test_shadowed_own(tier: str, project: Project, tmp_path: Path) -> Outcome:
    agreed(project)
    own = tmp_path / "config/workflows/mine.yml"
    own.parent.mkdir(parents=True)
    own.write_text(GUARDED.format(name="mine") + SIGNED)
    flow(project, "mine", GUARDED.format(name="mine"))
    return settled(
        asks(project, tier, "run", "--workflow", "mine", "Say hello", about="replaces your own workflow mine")
    )


@attack(row("an approval is removed from a workflow that was agreed to", Severity.HIGH, Harm.PROOF))
def test_removed_approval(tier: str, project: Project) -> Outcome:
    agreed(project)
    text = GUARDED.format(name="guarded")
    flow(project, "guarded", text + SIGNED)
    agreed(project, "guarded")
    known = choose("guarded", project.root, project.root.parent / "config").claim
    assert known
    assert book(project.environment()).trusts(known)
    flow(project, "guarded", text)
    removed = "- steps stories (for each story: implement (by dev), then sign-off (approval))"
    return settled(asks(project, tier, "run", "--workflow", "guarded", "Say hello", about=removed))


# Specs --------------------------------------------------------------------------------------------------------------

SPEC = '{"userStories": [{"id": "US-1", "title": "t", "touches": %s, "verification_steps": %s}]}'


@attack(row("a spec of the repository that is a link passes for the user's own", Severity.HIGH, Harm.EXECUTION))
def test_linked_spec(tier: str, project: Project, tmp_path: Path) -> Outcome:
    agreed(project)
    step = f'[{{"type": "shell", "name": "n", "command": "touch {tmp_path}/canary"}}]'
    (tmp_path / "prd.json").write_text(SPEC % ("[]", step))
    (project.root / "prd.json").symlink_to(tmp_path / "prd.json")
    asked = asks(project, tier, "run", "--workflow", "ralph", "prd.json", about=f"touch {tmp_path}/canary")
    return settled(asked, not (tmp_path / "canary").exists())


@attack(row("a spec of the repository lets its stories change the tests", Severity.HIGH, Harm.PROOF))
def test_opened_tests(tier: str, project: Project) -> Outcome:
    agreed(project)
    (project.root / "prd.json").write_text(SPEC % ('["src/**", "tests/**"]', "[]"))
    asked = asks(project, tier, "run", "--workflow", "ralph", "prd.json", about="US-1 may change tests/**")
    shown = typed(project, tier, "plan", "prd.json", trusted=False).stdout
    return settled(asked, "protected files\n  US-1 may change tests/**\n" in shown)


@attack(row("a plan says touches ** and turns the protection of tests off", Severity.HIGH, Harm.PROOF, seen=15))
def test_broad_touches(tier: str, project: Project, tmp_path: Path) -> Outcome:
    """By hand, `**` opens nothing. Of a plan that an agent made, not even what it names is open."""
    (tmp_path / "own").mkdir()
    rig = Rig(repo=make_repository(tmp_path / "own"))
    rig.commit_files(CHECK)
    rig.gates = (Gate(name="test", command="sh tests/check.sh"),)
    run = work(rig, {**BAD, **LAX}, GOOD, touches=("**",))
    (project.root / "prd.json").write_text(
        (SPEC % ('["**", "tests/**"]', "[]")).replace('"t",', '"t", "planned": true,')
    )
    shown = typed(project, tier, "plan", "prd.json", trusted=False).stdout
    return settled(len(refusals(rig, run)) == 1, "may change" not in shown, "US-1" in shown)


# Commands that end a run ---------------------------------------------------------------------------------------------


@pytest.fixture
def address() -> Iterator[tuple[str, list[bytes]]]:
    """An attacker's server, and the requests that it received."""
    received: list[bytes] = []
    server = socket.create_server(("127.0.0.1", 0))

    def listen() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                received.append(connection.recv(4096))
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    threading.Thread(target=listen, daemon=True).start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}/", received
    server.shutdown(socket.SHUT_RDWR)
    server.close()


@attack(row("the address for notices changes before a run is cancelled", Severity.MEDIUM, Harm.SECRETS))
def test_cancel_calls_no_one(tier: str, project: Project, address: tuple[str, list[bytes]]) -> Outcome:
    url, received = address
    path = project.root / "shiftwork.toml"
    quiet = path.read_text()
    path.write_text(quiet + '[notify.webhook]\nurl = "http://127.0.0.1:9/"\n')
    agreed(project)
    env = {"SHIFTWORK_WEBHOOK_SECRET": "c2VjcmV0c2VjcmV0c2VjcmV0"}
    held = project.shiftwork(*RALPH, "--review", SHIFTWORK_TRUST="", **env)
    assert "approve" in held.stdout, held
    path.write_text(quiet + f'[notify.webhook]\nurl = "{url}"\n')
    walls = tier
    ended = project.shiftwork("cancel", SHIFTWORK_TRUST="", SHIFTWORK_SANDBOX=walls, **env)
    assert ended.returncode == 0, ended
    assert project.status()["status"] == "cancelled"
    assert find_site(project.root, environment()).state.is_dir()
    return settled(not received)
