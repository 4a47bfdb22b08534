"""`shiftwork agents`: lists the profiles, what each has done, and which would be chosen and why."""

import json

from tests.e2e.cli_rig import Project


def profiles(project: Project, *, choose: str) -> None:
    file = project.root / "shiftwork.toml"
    text = file.read_text(encoding="utf-8").replace("[agent]\n", f'[agent]\nchoose = "{choose}"\n')
    other = f'\n[profiles.other]\nuse = "command"\ncommand = "sh {project.agent}"\nmodel = "large"\n'
    file.write_text(text + other, encoding="utf-8")


def test_profiles_are_listed_with_what_each_has_done_and_which_would_be_chosen_and_why(project: Project) -> None:
    profiles(project, choose="fixed")
    file = project.root / "shiftwork.toml"
    fixed = file.read_text(encoding="utf-8")
    gone = '\n[profiles.gone]\nuse = "claude-code"\nprogram = "/nowhere/claude"\n'
    file.write_text(fixed + gone, encoding="utf-8")
    completed = project.shiftwork("agents")
    assert completed.returncode == 0, completed.stderr
    head, ours, other, missing, _, reason = completed.stdout.splitlines()
    assert head.split() == ["state", "profile", "model", "version"]
    assert ours.startswith("ok       command")
    assert "large" in other
    assert missing.startswith("missing  gone")
    assert reason == 'command is assigned to every role without a profile in the workflow (choose = "fixed")'

    file.write_text(fixed.replace('"fixed"', '"learn"'), encoding="utf-8")
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
