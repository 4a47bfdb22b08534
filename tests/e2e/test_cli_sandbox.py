"""The tier `bubblewrap` with the installed command: what agents and gates cannot do, and that it is required."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from shiftwork.testing.model_server import Call, ModelRequest, ModelServer, ToolCall, Turn, call
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP
from tests.documented import ROOT, blocks
from tests.e2e.claude_rig import Handover
from tests.e2e.cli_rig import SHIFTWORK, WORKING, Project, new_project, on_a_terminal
from tests.patience import SECONDS

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = NEEDS_BUBBLEWRAP

TIER = "SHIFTWORK_SANDBOX"


class ByItsFile(Project):
    """The tier is the one of its settings, unless a test says another."""

    def environment(self, **more: str) -> dict[str, str]:
        return super().environment(**{TIER: "", **more})


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = new_project(tmp_path)
    return ByItsFile(root=made.root, agent=made.agent)


def settings(root: Path, more: str) -> None:
    file = root / "shiftwork.toml"
    file.write_text(f"{file.read_text(encoding='utf-8')}\n{more}", encoding="utf-8")


def broken(folder: Path, project: Project) -> str:
    """A PATH on which bubblewrap is what a kernel that forbids it makes of it."""
    fake = folder / "programs" / "bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    return f"{fake.parent}:{project.environment()['PATH']}"


def missing(folder: Path, project: Project) -> str:
    """A PATH with every program of this machine but bubblewrap."""
    programs = folder / "without"
    programs.mkdir()
    for place in map(Path, project.environment()["PATH"].split(os.pathsep)):
        for program in place.iterdir() if place.is_dir() else ():
            link = programs / program.name
            if program.name != "bwrap" and not link.is_symlink():
                link.symlink_to(program)
    return str(programs)


def test_the_doctor_reports_which_tier_is_in_force_and_each_part_of_it_and_a_run_keeps_to_it_as_the_howto_says(
    project: Project,
) -> None:
    typed = subprocess.run(
        ("bash", "-e", "-c", blocks(ROOT / "docs" / "howto" / "sandbox.md", "sandbox")),
        cwd=project.root,
        env=project.environment(PATH=f"{SHIFTWORK.parent}:{project.environment()['PATH']}"),
        capture_output=True,
        text=True,
        timeout=2 * SECONDS,
        check=False,
    )
    assert typed.returncode == 0, typed.stdout + typed.stderr
    assert "ok    sandbox     bubblewrap" in typed.stdout
    assert project.git("log", "--format=%s", "main").startswith("feat: Say hello")
    message = project.shiftwork("doctor", **{TIER: "none"}).stdout
    assert "warn  sandbox     none, as the settings ask: agents and gates run with your rights" in message
    assert f"try: {TIER}=auto shiftwork doctor" in message
    assert "what a gate runs can forge the gate's result: it can reach the processes that judge it" in message
    settings(project.root, LISTED)
    for asked in ("auto", "bubblewrap"):
        confined = project.shiftwork("doctor", "--json", **{TIER: asked})
        assert confined.returncode == 0, confined
        (check,) = (item for item in json.loads(confined.stdout)["checks"] if item["name"] == "sandbox")
        assert (check["result"], check["detail"].split(":")[0]) == ("ok", "bubblewrap")
        values = check["values"]
        assert (values["asked"], values["tier"], values["reason"]) == (asked, "bubblewrap", "")
        calls = "; command calls api.example.com, *.example.org alone; gates call 127.0.0.1:1 alone; "
        assert calls in check["detail"]
    _, screen = on_a_terminal(project, "doctor", NO_COLOR="1")
    lines = screen.decode().splitlines()
    assert max(map(len, lines)) <= 80
    first = lines.index("ok    sandbox     bubblewrap")
    assert lines[first + 1 : first + 4] == [
        f"{'':<18}agents and gates see their own tree, the system and your tools",
        f"{'':<18}command calls api.example.com, *.example.org alone",
        f"{'':<18}gates call 127.0.0.1:1 alone",
    ]
    assert f"{'':<18}keyrings are private" in lines


NO_SANDBOX = "no sandbox: agents and gates run with your rights, because bubblewrap cannot create a sandbox here"


def test_auto_without_bubblewrap_works_and_says_so_in_one_line_and_a_required_tier_runs_nothing(
    project: Project, tmp_path: Path
) -> None:
    auto = {TIER: "auto", "PATH": broken(tmp_path, project)}
    examined = project.shiftwork("doctor", "--json", **auto)
    assert examined.returncode == 0, examined
    (check,) = (item for item in json.loads(examined.stdout)["checks"] if item["name"] == "sandbox")
    assert (check["result"], check["values"]["asked"], check["values"]["tier"]) == ("warn", "auto", "none")
    assert "uid map: Permission denied" in check["values"]["reason"]
    assert "kernel.unprivileged_userns_clone" in check["hint"]
    project.settle(agent="exit 1\n")
    ran = project.shiftwork("run", "Say hello", "--workflow", "ralph", **auto)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert [line for line in ran.stdout.splitlines() if "sandbox" in line] == [
        f"{NO_SANDBOX}: bwrap: setting up uid map: Permission denied; shiftwork doctor says what to do"
    ]
    project.settle()
    retried = project.shiftwork("retry", "US-001", **auto)
    assert retried.returncode == 0, retried.stdout + retried.stderr
    assert retried.stdout.count(NO_SANDBOX) == 1
    project.settle(agent=WORKING.replace("> hello.txt", ">> hello.txt"))
    again = project.shiftwork("run", "Again", "--json", "--workflow", "ralph", **auto)
    (message,) = (event for event in map(json.loads, again.stdout.splitlines()) if event["kind"] == "sandbox")
    assert message["note"].startswith(NO_SANDBOX)
    unremarked = project.shiftwork("run", "And again", "--workflow", "ralph", **{TIER: "none"})
    assert unremarked.returncode == 0, unremarked
    assert "sandbox" not in unremarked.stdout + unremarked.stderr
    _required(project, auto["PATH"])


def _required(project: Project, path: str) -> None:
    """Where it cannot be had, nothing is run without it."""
    run = project.status()["run"]
    settings(project.root, '[sandbox]\ntier = "bubblewrap"\n')
    examined = project.shiftwork("doctor", PATH=path)
    assert examined.returncode == 1
    assert "fail  sandbox     bubblewrap cannot create a sandbox here" in examined.stdout
    refused = project.shiftwork("run", "Say hello", PATH=path)
    assert refused.returncode == 64, refused
    assert "setting up uid map: Permission denied" in refused.stderr
    assert 'or set tier = "none" under [sandbox]' in refused.stderr
    assert project.status()["run"] == run, "no other was recorded"
    document = json.loads(project.shiftwork("run", "Say hello", "--json", PATH=path).stdout.splitlines()[-1])
    assert document["kind"] == "sandbox"
    for words in (("run", "Say hello"), ("demo",)):
        refused = project.shiftwork(*words, **{TIER: "podman"})
        assert (refused.returncode, "podman is not supported yet" in refused.stderr) == (64, True)


def test_the_demo_works_with_the_sandbox_and_where_there_can_be_none(project: Project, tmp_path: Path) -> None:
    played = project.shiftwork("demo", **{TIER: "auto"})
    assert played.returncode == 0, played.stdout + played.stderr
    assert "sandbox" not in played.stdout
    absent = "no sandbox: agents and gates run with your rights, because the program bwrap is not installed"
    for path, message in ((broken(tmp_path, project), NO_SANDBOX), (missing(tmp_path, project), absent)):
        without = project.shiftwork("demo", **{TIER: "auto", "PATH": path})
        assert without.returncode == 0, without.stdout + without.stderr
        assert without.stdout.count(message) == 1


LISTED = """\
[sandbox]
tier = "bubblewrap"
agents = { hosts = ["api.example.com", "*.example.org"] }
gates = { hosts = ["127.0.0.1:1"] }
"""


KEEPS = "command can reach the whole network of this machine, with the services on it"


def test_an_agent_without_listed_hosts_keeps_the_network_and_one_line_says_so(project: Project) -> None:
    project.settle(agent='if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then exit 1; fi')
    settings(project.root, '[sandbox]\ntier = "bubblewrap"\n')
    ran = project.shiftwork("run", "Say hello")
    assert ran.stdout.count(KEEPS) == 1, ran.stdout + ran.stderr
    assert "an empty list of hosts under [agent] sets no limit" in " ".join(ran.stdout.split())
    assert "network" not in project.shiftwork("retry", "US-001").stdout, "said once, when the run started"
    again = project.shiftwork("run", "Say more", "--json").stdout.splitlines()
    notes = [event["note"] for event in map(json.loads, again) if event.get("kind") == "network"]
    assert [note.partition(":")[0] for note in notes] == [KEEPS]
    examined = json.loads(project.shiftwork("doctor", "--json").stdout)["checks"]
    (check,) = (item for item in examined if item["name"] == "network")
    assert (check["result"], check["detail"]) == ("warn", notes[0])
    file = project.root / "shiftwork.toml"
    file.write_text(file.read_text().replace("[agent]\n", '[agent]\nhosts = ["api.example.com"]\n'))
    listed = project.shiftwork("doctor").stdout
    assert "network, with the services" not in listed
    assert "command calls api.example.com alone" in " ".join(listed.split())


CALLS = f"""\
if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then curl -sS http://evil.example/ > seen.txt; fi
{WORKING}"""


def test_neither_agent_nor_gate_call_who_is_not_listed_and_that_is_reported(project: Project) -> None:
    project.settle(agent=CALLS, gates='test = "! test -f hello.txt || curl -sSf http://other.example/"')
    settings(project.root, f"{LISTED}[limits]\nrepairs = 0\n")
    ran = project.shiftwork("run", "Say hello")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "refused by the sandbox: other.example is not listed under hosts of [sandbox.gates]" in ran.stdout
    logs = project.shiftwork("logs", "--story", "US-001", "--step", "coding").stdout
    assert "refused by the sandbox: evil.example is not listed under hosts of [sandbox.agents]" in logs


def prying(project: Project) -> str:
    """While coding it tries to read what is not its own, to write there, and to move the user's branch."""
    root = project.root
    tries = (
        f"cat {root.parent}/secret; cat {root}/README; echo x > {root}/README; echo x > {root.parent}/secret; "
        f"git -C {root} commit --allow-empty -qm taken; git -C {root} update-ref refs/heads/main HEAD~1; "
        f"rm -rf {root}/.git/shiftwork/hub.git"
    )
    # What it saw lands with its work.
    return f'if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then ( {tries} ) > seen.txt 2> /dev/null; fi\n{WORKING}'


def test_neither_agent_nor_gate_reach_beyond_their_tree(project: Project) -> None:
    secret = project.root.parent / "secret"
    secret.write_text("do not look")
    gate = f"! cat {secret} && ! touch {project.root}/README && git log -1 --format=%s"
    project.settle(agent=prying(project), gates=f'test = "{gate}"')
    settings(project.root, '[sandbox]\ntier = "bubblewrap"\ngates = { network = false }\n')
    ran = project.shiftwork("run", "Say hello")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert project.git("log", "--format=%s", "main") == "feat: Say hello\nstart"
    assert project.git("show", "main:seen.txt") == ""
    assert secret.read_text() == "do not look"
    assert (project.root / "README").read_text(encoding="utf-8") == "start\n"
    verified = project.shiftwork("proof", "--verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr


# Real agents

REQUEST = "Write a greeting into greeting.txt"


type Play = Callable[[str, ModelRequest], Turn | None]


def stealing(repo: Path) -> str:
    """Does the work, and tries to leave something in the user's own repository."""
    return f"echo hello > greeting.txt; touch {repo}/stolen; git log -1 --format=%s"


def by_claude(repo: Path) -> Play:
    def play(kind: str, request: ModelRequest) -> Turn | None:
        if kind == "context_gathering" and request.turn == 0:
            return call("mcp__shiftwork__write_note", text="greetings are in lower case")
        if kind == "coding" and request.turn == 0:
            return call("Bash", command=stealing(repo))
        return None

    return play


def by_codex(repo: Path) -> Play:
    def play(kind: str, request: ModelRequest) -> Turn | None:
        if kind == "context_gathering" and request.turn == 0:
            text = {"text": "greetings are in lower case"}
            return Call(calls=(ToolCall(name="write_note", namespace="mcp__shiftwork", input=text),))
        if kind == "coding" and request.turn == 0:
            return call("exec_command", cmd=stealing(repo))
        return None

    return play


@pytest.mark.real_agent
@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_run_with_a_real_agent_within_walls(
    agent: str, tmp_path: Path, request: pytest.FixtureRequest, scripted_model: ModelServer
) -> None:
    program: Path = request.getfixturevalue("claude_program" if agent == "claude-code" else "codex_program")
    handover = Handover(root=tmp_path, program=program, server=scripted_model, agent=agent, tier="")
    handover.prepare()
    settings(handover.repo, '[sandbox]\ntier = "bubblewrap"\n')
    handover.play((by_claude if agent == "claude-code" else by_codex)(handover.repo))
    ran = handover.shiftwork("run", REQUEST, "--model", "claude-opus-5-5" if agent == "claude-code" else "gpt-5.5")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert handover.log() == [f"feat: {REQUEST}", "start"]
    assert handover.proved()[-1] == handover.git("rev-parse", "main^{tree}")
    assert handover.prompts()["step-005"].count("greetings are in lower case") == 1, "its tools work within walls"
    assert not (handover.repo / "stolen").exists()
    results = [item.last_tool_result for item in scripted_model.requests("model") if item.last_tool_result]
    assert any("Read-only file system" in message and "start" in message for message in results), results


def test_proof_names_gates_whose_results_what_they_ran_could_have_forged(project: Project) -> None:
    granted = '[gates.leaks]\ncommand = "true"\nattach = true\n[gates.browser]\ncommand = "true"\nnamespaces = true\n'
    settings(project.root, granted)
    forged = "could have forged"
    assert project.shiftwork("run", "Say hello", **{TIER: "auto"}).returncode == 0
    shown = project.shiftwork("proof", "US-001").stdout.splitlines()
    named = [(shown[at - 1].split()[0], line.strip()) for at, line in enumerate(shown) if forged in line]
    assert named == [
        ("leaks", f"what it ran {forged} this result: attach = true"),
        ("browser", f"what it ran {forged} this result: namespaces = true"),
    ]
    doctor = project.shiftwork("doctor", **{TIER: "auto"}).stdout
    assert "leaks has attach = true: what a gate runs can forge the gate's result" in doctor
    project.settle(agent=WORKING.replace("hello.txt", "again.txt"))
    assert project.shiftwork("run", "Say hello again", **{TIER: "none"}).returncode == 0
    table = project.shiftwork("proof", **{TIER: "none"}).stdout
    assert f"what gates ran {forged} their results (no sandbox): shiftwork proof STORY names the gates" in table
