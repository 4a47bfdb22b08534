"""What `run` would refuse, `doctor` tells before it, in the same words."""

import json
from typing import Any

import pytest

from tests.e2e.cli_rig import Project

AGENT = '[agent]\nuse = "command"\ncommand = "true"\n[gates]\n'


def examined(project: Project, **env: str) -> tuple[int, dict[str, dict[str, Any]]]:
    told = project.shiftwork("doctor", "--json", **env)
    return told.returncode, {check["name"]: check for check in json.loads(told.stdout)["checks"]}


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (AGENT + '[run]\nworkflow = "ralf"\n', "workflow"),
        (AGENT + '[workspace]\nbranch = "nope"\n', "branch"),
        (AGENT + "[limits]\nrun_usd = 5\n", "workflow"),
        (AGENT.replace("[gates]", 'fallback = ["other"]\n[gates]\n[profiles.other]\nprogram = "no-such-one"'), "agent"),
    ],
)
def test_what_the_settings_ask_for_in_vain(project: Project, settings: str, name: str) -> None:
    (project.root / "shiftwork.toml").write_text(settings, encoding="utf-8")
    refused = json.loads(project.shiftwork("run", "Add a greeting", "--json").stdout.splitlines()[-1])["error"]
    code, checks = examined(project)
    assert code == 1
    assert (checks[name]["state"], checks[name]["detail"]) == ("fail", refused["message"])
    assert checks[name]["hint"] == refused["hint"] != ""


def test_no_branch_to_land_on(project: Project) -> None:
    project.git("checkout", "-q", "--detach")
    refused = json.loads(project.shiftwork("run", "Add a greeting", "--json").stdout)["error"]
    code, checks = examined(project)
    assert code == 1
    assert (checks["branch"]["detail"], checks["branch"]["hint"]) == (refused["message"], refused["hint"])
    with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as file:
        file.write('[workspace]\nbranch = "main"\n')
    code, checks = examined(project)
    assert (code, checks["branch"]["detail"]) == (0, "main"), "the settings name one"


def test_what_is_not_looked_at_before_it_is_trusted_is_told(project: Project) -> None:
    code, checks = examined(project, SHIFTWORK_TRUST="")
    assert code == 1
    assert checks["trust"]["state"] == "fail"
    assert checks["agent"]["detail"] == "not asked for its version: the settings that name it are not trusted yet"


def test_a_workflow_of_the_repository_must_be_trusted_as_well(project: Project) -> None:
    file = project.root / "shiftwork/workflows/ours.yml"
    file.parent.mkdir(parents=True)
    steps = "  - { id: coding, description: Do it }\n  - { id: smoke, kind: gate, run: make smoke }\n"
    file.write_text(f"id: ours\nsteps:\n{steps}", encoding="utf-8")
    with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as settings:
        settings.write('[run]\nworkflow = "ours"\n')
    for words in (("trust",), ("trust", "ours")):
        told = project.shiftwork("doctor", SHIFTWORK_TRUST="")
        assert told.returncode == 1
        assert "something must be mended first" in told.stdout
        assert project.shiftwork(*words, SHIFTWORK_TRUST="").returncode == 0
    code, checks = examined(project, SHIFTWORK_TRUST="")
    assert (code, checks["workflow"]["detail"]) == (0, f"ours from {file}")
