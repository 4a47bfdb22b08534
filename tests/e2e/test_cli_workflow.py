"""Workflows and trust from the command line, as a new user meets them."""

import json
import socket
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import WORKING, Project, on_a_terminal

ONE_STEP = """\
id: one-step
parallel: 2
steps:
  - { id: coding, description: Do it }
  - { id: smoke, kind: gate, run: test -f hello.txt }
"""


def flow(project: Project, text: str = ONE_STEP, name: str = "one-step") -> Path:
    path = project.root / "shiftwork/workflows" / f"{name}.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def untrusting(project: Project, *words: str) -> subprocess.CompletedProcess[str]:
    return project.shiftwork(*words, SHIFTWORK_TRUST="")


def test_every_command_about_workflows_works_as_the_howto_says_and_speaks_json(
    project: Project, tmp_path: Path
) -> None:
    typed = project.types(blocks(ROOT / "docs/howto/write-a-workflow.md", "workflow"))
    assert typed.returncode == 0, typed.stdout + typed.stderr
    assert "my-flow.yml is valid" in typed.stdout
    first = (project.root / "shiftwork/workflows/my-flow.yml").read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=workflow.schema.json"
    assert (project.root / "shiftwork/workflows/workflow.schema.json").is_file()
    assert ET.parse(project.root / "my-flow.svg").getroot().tag.endswith("svg")  # noqa: S314 - written by ourselves
    flow(project)
    assert "already exists" in project.shiftwork("workflow", "new", "one-step").stderr
    assert "cannot be an id" in project.shiftwork("workflow", "new", "my_flow").stderr

    def message(*words: str) -> dict[str, object]:
        ran = project.shiftwork("workflow", *words, "--json")
        assert ran.returncode == 0, ran
        document: dict[str, object] = json.loads(ran.stdout)
        return document

    listed = message("list")["workflows"]
    assert isinstance(listed, list)
    assert next(item for item in listed if item["name"] == "one-step")["origin"] == "repository"
    assert [item["name"] for item in listed if item["default"]] == ["auto"]
    about = {item["name"]: item["description"] for item in listed}
    assert about["ralph"].startswith("One session a story")
    (project.root / "shiftwork" / "workflows" / "spoilt.yml").write_text("steps: 1\n", encoding="utf-8")
    spoilt = next(line for line in project.shiftwork("workflow", "list").stdout.splitlines() if "spoilt" in line)
    assert "has mistakes: shiftwork workflow validate spoilt" in spoilt
    (auto,) = (line for line in project.shiftwork("workflow", "list").stdout.splitlines() if "(default)" in line)
    assert auto.startswith("auto ")
    assert message("show", "one-step")["workflow"] == "one-step"
    assert message("validate", "one-step")["valid"] is True
    assert message("graph", "one-step")["workflow"] == "one-step"
    assert message("schema")["json_schema"]
    assert message("new", "another")["file"]
    _outside_of_a_repository(project, tmp_path / "outside")
    _where_none_is_named(project)


def _outside_of_a_repository(project: Project, outside: Path) -> None:
    outside.mkdir()
    listed = project.shiftwork("-C", str(outside), "workflow", "list")
    assert listed.returncode == 0, listed
    assert "\N{HORIZONTAL ELLIPSIS}" not in listed.stdout, "into a pipe nothing is cut"
    assert {line.split()[0] for line in listed.stdout.splitlines()} >= {
        "auto",
        "dynamic",
        "ralph",
        "plan",
        "feature-dev",
    }
    assert project.shiftwork("-C", str(outside), "workflow", "show", "ralph").returncode == 0
    assert project.shiftwork("-C", str(outside), "workflow", "new", "mine").returncode == 64


def _where_none_is_named(project: Project) -> None:
    """The one of the settings is shown and used."""
    for shown in ("show", "graph"):
        assert project.shiftwork("workflow", shown).stdout == project.shiftwork("workflow", shown, "auto").stdout
    with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as settings:
        settings.write('[run]\nworkflow = "ralph"\n')
    for shown in ("show", "graph"):
        ralph = project.shiftwork("workflow", shown, "ralph").stdout
        assert (
            project.shiftwork("workflow", shown).stdout == ralph != project.shiftwork("workflow", shown, "auto").stdout
        )
    document = json.loads(project.shiftwork("run", "Fix it", "--dry-run", "--json").stdout)
    assert [item["step_name"] for item in document["prompts"]] == ["coding"]


def test_a_run_goes_through_the_steps_of_its_workflow_and_one_with_mistakes_starts_nothing(project: Project) -> None:
    flow(project, ONE_STEP.replace("description: Do it", "type: coding, input: 'Do {{task}} on {{planet}}.'"))
    note = "note: step 'coding': {{planet}} is a name that nothing provides, so it is empty"
    ran = project.shiftwork("run", "--workflow", "one-step", "make a file")
    assert (ran.returncode, note in ran.stderr) == (0, True), ran
    steps = project.status()["stories"][0]["steps"]
    assert [step["name"] for step in steps] == ["coding", "smoke"]
    assert "{{planet}}" in project.shiftwork("workflow", "validate", "one-step").stdout
    given = project.shiftwork("run", "--workflow", "one-step", "--context", "planet=Mars", "--dry-run", "make a file")
    assert (given.returncode, given.stderr.count("note:")) == (0, 0), given
    assert "Do make a file on Mars." in given.stdout
    _with_mistakes(project)


def _with_mistakes(project: Project) -> None:
    run = project.status()["run"]
    flow(project, "id: one-step\nstesp: []\n")
    ran = project.shiftwork("workflow", "validate", "one-step")
    assert ran.returncode == 64
    where = "shiftwork/workflows/one-step.yml:2:1: the workflow: unknown key 'stesp'; did you mean 'steps'?"
    assert where in ran.stderr
    ran = project.shiftwork("run", "--workflow", "one-stpe", "make a file")
    assert (ran.returncode, "there is no workflow 'one-stpe'" in ran.stderr) == (64, True)
    thorough = "agents: [{id: dev, profile: thorough}]\nsteps: [{id: work, agent: dev, input: 'Do {{task}}'}]\n"
    flow(project, f"id: teamwork\n{thorough}", "teamwork")
    ran = project.shiftwork("run", "Fix it", "--workflow", "teamwork", "--trust")
    assert ran.returncode == 64
    assert "assigns the profile 'thorough' to dev, but the settings do not define it" in ran.stderr
    assert "add [profiles.thorough] to shiftwork.toml; known are command" in ran.stderr
    assert project.status()["run"] == run, "no other was recorded"


# Trust ---------------------------------------------------------------------------------------------------------------


def trusted(project: Project) -> bool:
    """Whether the user has agreed to the settings."""
    claims = json.loads(untrusting(project, "trust", "--show", "--json").stdout)["claims"]
    return bool(claims[0]["trusted"])


def test_nothing_that_a_repository_names_is_run_by_any_command_until_it_is_trusted(project: Project) -> None:
    project.settle(agent=f"touch {project.root}/started; exit 1\n")
    values = json.loads(untrusting(project, "doctor", "--json").stdout)
    states = {check["name"]: check["result"] for check in values["checks"]}
    assert (states["trust"], states["agent"]) == ("fail", "warn")
    ran = untrusting(project, "run", "make a file")
    assert ran.returncode == 64
    assert "gates.test" in ran.stderr
    assert "try: look at it, then: shiftwork trust" in ran.stderr
    assert not (project.root / "started").exists()

    assert project.shiftwork("run", "--workflow", "ralph", "make a file").returncode == 1, "its agent fails"
    project.settle()
    for words in (("retry", "US-001"), ("retry", "US-001"), ("add", "another")):
        asked = untrusting(project, *words)
        assert asked.returncode == 64, asked
        assert "try: look at it, then: shiftwork trust" in asked.stderr
    assert [story["status"] for story in project.status()["stories"]] == ["failed"]
    assert untrusting(project, "trust").returncode == 0
    assert untrusting(project, "retry", "US-001").returncode == 0

    settings = project.root / "shiftwork.toml"
    settings.write_text(f"# mine\n{settings.read_text()}")
    assert trusted(project), "a changed comment does not ask again"
    project.settle(agent=WORKING.replace("> hello.txt", ">> hello.txt"), gates='test = "true"')
    ran = untrusting(project, "run", "make a file")
    assert "+ gates.test" in ran.stderr
    assert "agent.command" not in ran.stderr
    assert untrusting(project, "run", "--trust", "--workflow", "ralph", "make a file").returncode == 0
    assert not trusted(project), "a flag trusts for once"
    assert untrusting(project, "trust").returncode == 0
    assert untrusting(project, "trust", "--revoke", "--show").returncode == 64
    revoked = untrusting(project, "trust", "--revoke")
    assert revoked.stdout.startswith(f"no longer trusted: {project.root}/shiftwork.toml")
    assert not trusted(project)
    again = json.loads(untrusting(project, "trust", "--revoke", "--json").stdout)
    assert [claim["trusted"] for claim in again["claims"]] == [False]
    assert untrusting(project, "run", "make a file").returncode == 64


def test_at_a_terminal_all_that_would_run_is_shown_before_it_is_asked(project: Project) -> None:
    gates = f'test = "true # ok:\\ntouch a"\nlint = "true{" --opt" * 100}; touch b"'
    project.settle(agent=WORKING, gates=gates)
    code, screen = on_a_terminal(project, "run", "make a file", typed=b"n\n", SHIFTWORK_TRUST="")
    assert code == 64, screen
    message = screen.decode().replace("\r\n", "\n")
    assert "  gates.test     true # ok:<LF>\n                 touch a\n" in message
    rows = message[message.index("  gates.lint") : message.index("run these on this machine?")].splitlines()
    assert all(row.endswith("\\") and len(row) <= 80 for row in rows[:-1])
    assert "".join(row[17:].removesuffix("\\") for row in rows) == f"true{' --opt' * 100}; touch b"
    project.settle()
    for answer, code in ((b"n\n", 64), (b"y\n", 0)):
        number, screen = on_a_terminal(project, "run", "make a file", typed=answer, SHIFTWORK_TRUST="", TERM="dumb")
        assert number == code
        assert b"run these on this machine?" in screen
        question = screen[: screen.index(b"run these")].decode().splitlines()
        assert all(len(line) <= 80 for line in question), "no terminal has to break a line"
        assert (project.root / "hello.txt").exists() == (code == 0)


def test_files_that_are_copied_are_shown_and_agreed_to(project: Project) -> None:
    typed = project.types(blocks(ROOT / "docs/howto/gates.md", "included"), SHIFTWORK_TRUST="")
    assert typed.returncode == 0, typed.stdout + typed.stderr
    shown = "  copies  /.env\n  agents and gates get a copy of 1 file now: .env\n"
    assert f"{shown}not trusted: " in typed.stdout
    assert f"{shown}trusted: " in typed.stdout
    _, included = json.loads(untrusting(project, "trust", "--show", "--json").stdout)["claims"]
    assert (included["trusted"], included["files"]) == (True, [".env"])
    (project.root / ".worktreeinclude").write_text("/.env\n*.pem\n")
    ran = untrusting(project, "run", "make a file")
    assert (ran.returncode, "+ copies  *.pem" in ran.stderr) == (64, True), ran
    assert untrusting(project, "trust", ".worktreeinclude").returncode == 0
    assert untrusting(project, "run", "--workflow", "ralph", "make a file").returncode == 0


def test_a_workflow_of_the_repository_and_the_files_that_its_agents_receive_must_be_trusted(project: Project) -> None:
    """They may be files that git ignores, with the user's secrets."""
    text = "agents:\n  - {id: dev, workspace: {files: {AGENTS.md: ../../FILE}}}\n" + ONE_STEP.replace(
        "description: Do it", "agent: dev, description: Do it"
    )
    for name in ("me.md", ".env"):
        (project.root / name).write_text("who I am\n", encoding="utf-8")
    path = flow(project, text.replace("FILE", "me.md"))
    untrusting(project, "trust")
    ran = untrusting(project, "run", "--workflow", "one-step", "make a file")
    assert (ran.returncode, f"shiftwork trust {path}" in ran.stderr) == (64, True), ran
    assert untrusting(project, "trust", "one-step").returncode == 0
    flow(project, text.replace("FILE", ".env"))
    ran = untrusting(project, "run", "--workflow", "one-step", "make a file")
    assert (ran.returncode, "agents receive ../../.env" in ran.stderr) == (64, True), ran
    flow(project, text.replace("FILE", "me.md"))
    ran = untrusting(project, "run", "--workflow", "one-step", "make a file")
    assert ran.returncode == 0, ran


def test_a_database_that_a_repository_names_is_not_called_before_it_is_trusted(project: Project) -> None:
    """The server at that address would receive the user's name and password."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        settings = project.root / "shiftwork.toml"
        url = f"postgresql://127.0.0.1:{listening.getsockname()[1]}/x?connect_timeout=1"
        settings.write_text(f'{settings.read_text()}\n[store]\nurl = "{url}"\n')
        listening.settimeout(0)
        for words in (("status",), ("stories",), ("logs",), ("run", "--dry-run", "x"), ("doctor",)):
            refused = untrusting(project, *words)
            assert "shiftwork trust" in refused.stdout + refused.stderr, words
            with pytest.raises(BlockingIOError):
                listening.accept()
