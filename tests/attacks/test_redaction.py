"""Attacks that put a secret into stored or shown text: logs, the history, prompts, reports, error texts."""

import asyncio
import json
import sys
from pathlib import Path
from urllib.parse import quote

from shiftwork import redaction
from shiftwork.adapters.agents.command import CommandAgent
from shiftwork.adapters.attempt_folders import LocalAttemptFolders
from shiftwork.adapters.processes.supervisor.supervise import Spawn, supervise
from shiftwork.ports.agent import AgentEvent, AgentLimits, AgentTask
from shiftwork.ports.attempt_folder import AttemptName
from tests.attacks.secrets_rig import SECRET, row
from tests.attacks.state_rig import settled, typed
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.attacks.test_login import Session
from tests.e2e.cli_rig import WORKING, new_project


def attempted(folder: Path, script: str) -> str:
    """All text of a session that is stored or reported."""
    events: list[AgentEvent] = []
    task = AgentTask(
        prompt="",
        workdir=folder,
        home=folder / "home",
        log=folder / "log",
        marker=f"redaction{folder}",
        limits=AgentLimits(wall_seconds=60, silence_seconds=60),
    )
    agent = CommandAgent(("/bin/sh", "-c", script), env={"PATH": "/usr/bin:/bin"})
    report = asyncio.run(agent.attempt(task, events.append))
    return f"{(folder / 'log').read_text()} {report} {events}"


@attack(row("an agent prints a secret of its environment, and the log keeps it", Severity.MEDIUM, Harm.SECRETS))
def test_printed_by_an_agent(tmp_path: Path) -> Outcome:
    redaction.learn([SECRET])
    kept = attempted(tmp_path, f"echo before {SECRET} after; echo {SECRET} >&2; exit 3")
    return settled("before *** after" in kept, SECRET not in kept)


@attack(row("an agent prints a token that it has found in a file", Severity.MEDIUM, Harm.SECRETS))
def test_token_of_unknown_origin(tmp_path: Path) -> Outcome:
    token = "ghp_" + "a1B2" * 9
    kept = attempted(tmp_path, f"echo found {token}")
    return settled("found ***" in kept, token not in kept)


@attack(row("an agent spells a secret as JSON and addresses spell it", Severity.LOW, Harm.SECRETS))
def test_other_spellings(tmp_path: Path) -> Outcome:
    secret = 'pass"word\\with/odd+letters 1'  # noqa: S105 - a word to look for
    redaction.learn([secret])
    script = f"printf '%s\\n' '{json.dumps(secret)}' '{quote(secret, safe='')}'"
    kept = attempted(tmp_path, script)
    return settled("***" in kept, "odd" not in kept)


@attack(row("a secret is printed where the end that is kept of an error output begins", Severity.LOW, Harm.SECRETS))
def test_cut_at_a_bound(tmp_path: Path) -> Outcome:
    redaction.learn([SECRET])
    script = f"import sys; sys.stderr.write('{SECRET}' * 9000); sys.stderr.flush()"
    spawn = Spawn(
        argv=(sys.executable, "-c", script),
        cwd=tmp_path,
        env={},
        marker=f"cut{tmp_path}",
        wall_seconds=60,
        silence_seconds=60,
    )
    kept = asyncio.run(supervise(spawn, lambda _: None)).stderr
    return settled("***" in kept, "staple" not in kept, "battery" not in kept)


@attack(row("a gate prints a secret, and the history and the report keep it", Severity.MEDIUM, Harm.SECRETS))
def test_printed_by_a_gate(tier: str, tmp_path: Path) -> Outcome:
    project = new_project(tmp_path)
    gate = 'test = "echo key $SERVICE_TOKEN; test ! -e hello.txt"\n\n[workspace]\nenv = ["SERVICE_TOKEN"]'
    project.settle(agent=WORKING, gates=gate)
    env = {"SERVICE_TOKEN": SECRET, "SHIFTWORK_SANDBOX": "none" if tier == "none" else "bubblewrap"}
    ended = project.shiftwork("run", "Go", "--workflow", "ralph", **env)
    views = [project.shiftwork(*words, **env).stdout for words in (("report",), ("export",), ("logs",), ("status",))]
    files = [file.read_bytes() for file in project.state.rglob("*") if file.is_file()]
    seen = any(b"key ***" in data for data in files)
    unseen = not any(SECRET.encode() in data for data in files)
    return settled(seen, unseen, not any(SECRET in view for view in (ended.stdout, ended.stderr, *views)))


@attack(row("an agent writes a secret into a note, a question or its evidence", Severity.MEDIUM, Harm.SECRETS))
def test_left_in_the_outputs(tmp_path: Path) -> Outcome:
    redaction.learn([SECRET])

    async def collected() -> str:
        attempt_folders = LocalAttemptFolders(tmp_path)
        attempt_folder = await attempt_folders.lay(AttemptName(run="r", story="s", step="t", attempt=1))
        for name, text in (("note-1", SECRET), ("question-1", SECRET), ("evidence-1", json.dumps({"quote": SECRET}))):
            (attempt_folder.output_folder / f"{name}.json").write_text(text)
        return str(await attempt_folders.collect(attempt_folder))

    outputs = asyncio.run(collected())
    return settled(outputs.count("***") == 3, SECRET not in outputs)


@attack(row("an error names an address with the password of the database", Severity.MEDIUM, Harm.SECRETS))
def test_password_in_an_error(tier: str, tmp_path: Path) -> Outcome:
    project = new_project(tmp_path)
    url = f"postgresql://ada:{SECRET}@127.0.0.1:1/none"
    ended = [typed(project, tier, "status", f"--{url}"), project.shiftwork("status", SHIFTWORK_STORE_URL=url)]
    shown = " ".join(completed.stdout + completed.stderr for completed in ended)
    return settled(all(completed.returncode for completed in ended), "ada:***@" in shown, SECRET not in shown)


@attack(row("an agent prints the login that it was lent, and the log keeps it", Severity.MEDIUM, Harm.SECRETS))
def test_printed_login(tier: str, tmp_path: Path) -> Outcome:
    session = Session(tmp_path, tier)
    stored = json.loads((session.folder / ".credentials.json").read_text())
    stored["claudeAiOauth"]["accessToken"] = f"{SECRET}-access-1"
    (session.folder / ".credentials.json").write_text(json.dumps(stored))
    assert f"{SECRET}-access-1" in session.does("cat ~/.claude/.credentials.json")
    return settled("accessToken" in session.log, f"{SECRET}-access-1" not in session.log)
