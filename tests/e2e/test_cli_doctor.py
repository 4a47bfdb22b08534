"""What `run` would refuse, `doctor` tells before it, in the same words."""

import json
from pathlib import Path
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


def test_each_mistake_in_the_settings_is_on_a_line_of_its_own(project: Project) -> None:
    (project.root / "shiftwork.toml").write_text('[limits]\nrun_usd = "x"\nwaits = "y"\n', encoding="utf-8")
    lines = [line.strip() for line in project.shiftwork("doctor").stdout.splitlines()]
    place = lines.index("fail  settings    shiftwork.toml has 2 mistakes:")
    assert lines[place + 1] == "limits.run_usd: a number is needed, not 'x'"
    assert lines[place + 2] == "limits.waits: a whole number is needed, not 'y'"
    assert lines[place + 3] == "try: mend shiftwork.toml; shiftwork init --print shows every key"


def test_gates_that_are_red_before_any_work_is_paid_for(project: Project) -> None:
    gates = 'ready = "test -f README"\ntest = "echo 3 tests; echo No module named pytest >&2; exit 1"'
    project.settle(gates=gates)
    assert project.shiftwork("doctor").returncode == 0, "they are not run unasked"
    told = project.shiftwork("doctor", "--gates")
    assert told.returncode == 1, told
    lines = [line.strip() for line in told.stdout.splitlines()]
    assert any(line.startswith("ok    gates       ready: passed in ") for line in lines)
    place = lines.index("fail  gates       test: red on main already")
    assert lines[place + 1 : place + 3] == ["3 tests", "No module named pytest"]
    assert lines[place + 3].startswith("try: make it pass, or correct its command in shiftwork.toml")
    untrusted = project.shiftwork("doctor", "--gates", SHIFTWORK_TRUST="")
    assert "not run: the settings that name them are not trusted yet" in untrusted.stdout
    project.settle()
    (project.root / "hello.txt").touch()
    assert project.shiftwork("doctor", "--gates").returncode == 1, "what is not committed is not what work starts from"
    project.git("add", "hello.txt")
    project.git("commit", "-q", "-m", "hello")
    assert project.shiftwork("doctor", "--gates").returncode == 0


def test_no_branch_to_land_on(project: Project) -> None:
    project.git("checkout", "-q", "--detach")
    refused = json.loads(project.shiftwork("run", "Add a greeting", "--json").stdout)["error"]
    code, checks = examined(project)
    assert code == 1
    assert (checks["branch"]["detail"], checks["branch"]["hint"]) == (refused["message"], refused["hint"])
    assert refused["exit_code"] == 64
    assert project.shiftwork("run", "Add a greeting", "--branch", "nope").returncode == 64
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


def way_out(project: Project) -> str:
    """What a refused run and the doctor tell to type: the same."""
    refused = json.loads(project.shiftwork("run", "Add a greeting", "--json").stdout.splitlines()[-1])["error"]
    code, checks = examined(project)
    assert code == 1
    assert checks["repository"]["detail"] in refused["message"]
    assert checks["repository"]["hint"] == refused["hint"]
    assert refused["exit_code"] == 64, "nothing was started"
    hint: str = refused["hint"]
    return hint


def elsewhere(project: Project, folder: Path) -> Project:
    return Project(root=folder, agent=project.agent)


def test_a_shallow_clone_is_made_whole_by_what_is_told(project: Project, tmp_path: Path) -> None:
    project.git("commit", "-q", "--allow-empty", "-m", "second")
    project.git("clone", "-q", "--depth=1", f"file://{project.root}", "../shallow")
    shallow = elsewhere(project, tmp_path / "shallow")
    shallow.settle()
    assert shallow.types(way_out(shallow)).returncode == 0
    assert examined(shallow)[0] == 0


def test_a_sparse_checkout_is_made_whole_by_what_is_told(project: Project) -> None:
    project.git("sparse-checkout", "set", "src")
    assert project.types(way_out(project)).returncode == 0
    assert examined(project)[0] == 0


def test_a_bare_repository_is_cloned_by_what_is_told(project: Project, tmp_path: Path) -> None:
    project.git("clone", "-q", "--bare", ".", "../bare.git")
    bare = elsewhere(project, tmp_path / "bare.git")
    hint = way_out(bare)
    assert "git init" not in hint
    assert bare.types(hint).returncode == 0
    assert examined(elsewhere(project, tmp_path / "bare-checkout"))[1]["repository"]["state"] == "ok"


def test_a_submodule_can_be_worked_on_by_itself(project: Project) -> None:
    project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(project.root), "vendored")
    project.git("commit", "-q", "-m", "a submodule")
    assert way_out(project).endswith("shiftwork -C SUBMODULE doctor")
    vendored = elsewhere(project, project.root / "vendored")
    vendored.settle()
    assert examined(vendored)[0] == 0
    assert vendored.shiftwork("run", "Add a greeting", "--workflow", "ralph").returncode == 0


def test_several_reasons_are_told_with_the_way_out_of_each(project: Project, tmp_path: Path) -> None:
    project.git("commit", "-q", "--allow-empty", "-m", "second")
    project.git("clone", "-q", "--depth=1", f"file://{project.root}", "../both")
    both = elsewhere(project, tmp_path / "both")
    both.git("sparse-checkout", "set", "src")
    refused = both.shiftwork("run", "Add a greeting")
    assert refused.stderr.endswith("it is a shallow clone; it is a sparse checkout\n  try: shiftwork doctor\n")
    told = both.shiftwork("doctor").stdout
    assert "try: git fetch --unshallow\n" in told
    assert "try: git sparse-checkout disable\n" in told


def test_a_settings_file_that_cannot_be_read_is_told_under_its_own_name(project: Project) -> None:
    (project.root / "shiftwork.toml").write_text("[[[\n", encoding="utf-8")
    checks = json.loads(project.shiftwork("doctor", "--json").stdout)["checks"]
    assert [(one["name"], one["state"]) for one in checks if one["state"] == "fail"] == [("settings", "fail")]
