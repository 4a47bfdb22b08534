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
    ours, other, missing, _, reason = completed.stdout.splitlines()
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
    first, second = role["profiles"]
    assert (first["profile"], first["tries"], first["verified"], first["cost_usd"]) == ("command", 1, 1, None)
    assert (second["profile"], second["tries"]) == ("other", 0)
    shown = project.shiftwork("agents").stdout
    assert "role work: other would be chosen: it has not been tried yet" in shown
    assert "command: 1 tried, 1 of 1 verified, cost unknown" in shown
