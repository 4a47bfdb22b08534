"""`shiftwork agents`: lists the profiles, what each has done, and which would be chosen and why."""

import json

from tests.e2e.cli_rig import Project


def profiles(project: Project, *, choose: str) -> None:
    file = project.root / "shiftwork.toml"
    text = file.read_text(encoding="utf-8").replace("[agent]\n", f'[agent]\nchoose = "{choose}"\n')
    other = f'\n[profiles.other]\nuse = "command"\ncommand = "sh {project.agent}"\nmodel = "large"\n'
    file.write_text(text + other, encoding="utf-8")


def test_fixed_is_how_it_is_and_a_missing_program_is_reported(project: Project) -> None:
    profiles(project, choose="fixed")
    file = project.root / "shiftwork.toml"
    gone = '\n[profiles.gone]\nuse = "claude-code"\nprogram = "/nowhere/claude"\n'
    file.write_text(file.read_text(encoding="utf-8") + gone, encoding="utf-8")
    completed = project.shiftwork("agents")
    assert completed.returncode == 0, completed.stderr
    head, ours, other, missing, _, reason = completed.stdout.splitlines()
    assert head.split() == ["state", "profile", "model", "version"]
    assert ours.startswith("ok       command")
    assert "large" in other
    assert missing.startswith("missing  gone")
    assert reason == 'command is assigned to every role without a profile in the workflow (choose = "fixed")'


def test_what_was_learnt_is_explained(project: Project) -> None:
    profiles(project, choose="learn")
    before = json.loads(project.shiftwork("agents", "--json").stdout)
    assert [(item["role"], item["chosen"], item["why"]) for item in before["roles"]] == [
        ("work", "command", "it has not been tried yet")
    ]
    ran = project.shiftwork("run", "Add hello.txt")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (role,) = json.loads(project.shiftwork("agents", "--json").stdout)["roles"]
    assert (role["chosen"], role["priced"]) == ("other", False)
    first, second = role["scores"]
    assert (first["agent"], first["tries"], first["verified"], first["cost_usd"]) == ("command", 1, 1, None)
    assert (second["agent"], second["tries"]) == ("other", 0)
    shown = project.shiftwork("agents").stdout
    assert "role work: other would be chosen: it has not been tried yet" in shown
    assert "command: 1 tried, 1 of 1 verified, cost unknown" in shown


def test_an_agent_that_is_not_installed_is_found_before_the_gates_run(project: Project) -> None:
    ran = project.shared / "ran"
    project.settle(gates=f'test = "echo ran >> {ran}"')
    file = project.root / "shiftwork.toml"
    agent = file.read_text(encoding="utf-8").replace('use = "command"', 'use = "codex"\nprogram = "/nowhere/codex"')
    file.write_text("".join(line for line in agent.splitlines(keepends=True) if not line.startswith("command ")))
    refused = project.shiftwork("run", "Say hello")
    assert refused.returncode == 1, refused
    assert "/nowhere/codex" in refused.stderr
    assert not ran.exists()
