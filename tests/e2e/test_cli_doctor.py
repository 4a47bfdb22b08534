"""`doctor` reports in advance what `run` would refuse, in the same words."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli_rig import Project

AGENT = '[agent]\nuse = "command"\ncommand = "true"\n[gates]\n'


def examined(project: Project, **env: str) -> tuple[int, dict[str, dict[str, Any]]]:
    completed = project.shiftwork("doctor", "--json", **env)
    return completed.returncode, {check["name"]: check for check in json.loads(completed.stdout)["checks"]}


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (AGENT + '[run]\nworkflow = "ralf"\n', "workflow"),
        (AGENT + '[workspace]\nbranch = "nope"\n', "branch"),
        (AGENT + "[limits]\nrun_usd = 5\n", "workflow"),
        (AGENT.replace("[gates]", 'fallback = ["other"]\n[gates]\n[profiles.other]\nprogram = "no-such-one"'), "agent"),
    ],
)
def test_doctor_fails_for_settings_that_a_run_refuses(project: Project, settings: str, name: str) -> None:
    (project.root / "shiftwork.toml").write_text(settings, encoding="utf-8")
    refused = json.loads(project.shiftwork("run", "Add a greeting", "--json").stdout.splitlines()[-1])
    code, checks = examined(project)
    assert code == 1
    assert (checks[name]["result"], checks[name]["detail"]) == ("fail", refused["message"])
    assert checks[name]["hint"] == refused["hint"] != ""


def test_each_mistake_in_the_settings_is_on_a_line_of_its_own(project: Project) -> None:
    (project.root / "shiftwork.toml").write_text('[limits]\nrun_usd = "x"\nwaits = "y"\n', encoding="utf-8")
    lines = [line.strip() for line in project.shiftwork("doctor").stdout.splitlines()]
    place = lines.index("fail  settings    shiftwork.toml has 2 mistakes:")
    assert lines[place + 1] == "limits.run_usd: a number is needed, not 'x'"
    assert lines[place + 2] == "limits.waits: a whole number is needed, not 'y'"
    assert (
        lines[place + 3]
        == "try: fix shiftwork.toml; shiftwork config validate shows where, shiftwork config list every setting"
    )


def test_gates_that_are_red_before_any_work_is_paid_for(project: Project) -> None:
    gates = 'ready = "test -f README"\ntest = "echo looking; echo =====; echo No module named pytest >&2; exit 1"'
    project.settle(gates=gates)
    assert project.shiftwork("doctor").returncode == 0, "they are not run unasked"
    completed = project.shiftwork("doctor", "--gates", "--unconfined")
    assert completed.returncode == 1, completed
    lines = [line.strip() for line in completed.stdout.splitlines()]
    assert any(line.startswith("ok    gates       ready: passed in ") for line in lines)
    place = lines.index("fail  gates       test: red on main, and in your checkout")
    assert lines[place + 1 : place + 3] == ["looking", "No module named pytest"]
    assert lines[place + 3].startswith("try: make it pass, or correct its command in shiftwork.toml")
    untrusted = project.shiftwork("doctor", "--gates", SHIFTWORK_TRUST="")
    assert "not run: the settings that name them are not trusted yet" in untrusted.stdout
    project.settle(gates='test = "test -f hello.txt"')
    (project.root / "hello.txt").touch()
    assert project.shiftwork("doctor", "--gates").returncode == 1, "what is not committed is not what work starts from"
    project.git("add", "hello.txt")
    project.git("commit", "-q", "-m", "hello")
    assert project.shiftwork("doctor", "--gates").returncode == 0


def test_no_branch_to_land_on(project: Project) -> None:
    project.git("checkout", "-q", "--detach")
    refused = json.loads(project.shiftwork("run", "Add a greeting", "--json").stdout)
    code, checks = examined(project)
    assert code == 1
    assert (checks["branch"]["detail"], checks["branch"]["hint"]) == (refused["message"], refused["hint"])
    assert refused["exit_code"] == 64
    assert project.shiftwork("run", "Add a greeting", "--branch", "nope").returncode == 64
    with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as file:
        file.write('[workspace]\nbranch = "main"\n')
    code, checks = examined(project)
    assert (code, checks["branch"]["detail"]) == (0, "main"), "the settings name one"


def test_what_is_not_looked_at_before_it_is_trusted_is_reported(project: Project) -> None:
    code, checks = examined(project, SHIFTWORK_TRUST="")
    assert code == 1
    assert checks["trust"]["result"] == "fail"
    assert checks["agent"]["detail"] == "not asked for its version: the settings that name it are not trusted yet"


def test_a_workflow_of_the_repository_must_be_trusted_as_well(project: Project) -> None:
    file = project.root / "shiftwork/workflows/ours.yml"
    file.parent.mkdir(parents=True)
    steps = "  - { id: coding, description: Do it }\n  - { id: smoke, kind: gate, run: make smoke }\n"
    file.write_text(f"id: ours\nsteps:\n{steps}", encoding="utf-8")
    with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as settings:
        settings.write('[run]\nworkflow = "ours"\n')
    for words in (("trust",), ("trust", "ours")):
        completed = project.shiftwork("doctor", SHIFTWORK_TRUST="")
        assert completed.returncode == 1
        assert "fix the items marked fail" in completed.stdout
        assert project.shiftwork(*words, SHIFTWORK_TRUST="").returncode == 0
    code, checks = examined(project, SHIFTWORK_TRUST="")
    assert (code, checks["workflow"]["detail"]) == (0, f"ours from {file}")


def way_out(project: Project) -> str:
    """The command that a refused run and the doctor both suggest."""
    refused = json.loads(project.shiftwork("run", "Add a greeting", "--json").stdout.splitlines()[-1])
    code, checks = examined(project)
    assert code == 1
    assert checks["repository"]["detail"] in refused["message"]
    assert checks["repository"]["hint"] == refused["hint"]
    assert refused["exit_code"] == 64, "nothing was started"
    hint: str = refused["hint"]
    return hint


def elsewhere(project: Project, folder: Path) -> Project:
    return Project(root=folder, agent=project.agent)


def test_a_shallow_clone_is_made_whole_by_what_is_reported(project: Project, tmp_path: Path) -> None:
    project.git("commit", "-q", "--allow-empty", "-m", "second")
    project.git("clone", "-q", "--depth=1", f"file://{project.root}", "../shallow")
    shallow = elsewhere(project, tmp_path / "shallow")
    shallow.settle()
    assert shallow.types(way_out(shallow)).returncode == 0
    assert examined(shallow)[0] == 0


def test_a_sparse_checkout_is_made_whole_by_what_is_reported(project: Project) -> None:
    project.git("sparse-checkout", "set", "src")
    assert project.types(way_out(project)).returncode == 0
    assert examined(project)[0] == 0


def test_a_bare_repository_is_cloned_by_what_is_reported(project: Project, tmp_path: Path) -> None:
    project.git("clone", "-q", "--bare", ".", "../bare.git")
    bare = elsewhere(project, tmp_path / "bare.git")
    hint = way_out(bare)
    assert "git init" not in hint
    assert bare.types(hint).returncode == 0
    assert examined(elsewhere(project, tmp_path / "bare-checkout"))[1]["repository"]["result"] == "ok"


def test_a_submodule_can_be_worked_on_by_itself(project: Project) -> None:
    project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(project.root), "vendored")
    project.git("commit", "-q", "-m", "a submodule")
    assert way_out(project).endswith("shiftwork -C SUBMODULE doctor")
    vendored = elsewhere(project, project.root / "vendored")
    vendored.settle()
    assert examined(vendored)[0] == 0
    assert vendored.shiftwork("run", "Add a greeting", "--workflow", "ralph").returncode == 0


def test_several_reasons_are_reported_with_the_way_out_of_each(project: Project, tmp_path: Path) -> None:
    project.git("commit", "-q", "--allow-empty", "-m", "second")
    project.git("clone", "-q", "--depth=1", f"file://{project.root}", "../both")
    both = elsewhere(project, tmp_path / "both")
    both.git("sparse-checkout", "set", "src")
    refused = both.shiftwork("run", "Add a greeting")
    assert refused.stderr.endswith("it is a shallow clone; it is a sparse checkout\n  try: shiftwork doctor\n")
    message = both.shiftwork("doctor").stdout
    assert "try: git fetch --unshallow\n" in message
    assert "try: git sparse-checkout disable\n" in message


def test_a_settings_file_that_cannot_be_read_is_reported_under_its_own_name(project: Project) -> None:
    (project.root / "shiftwork.toml").write_text("[[[\n", encoding="utf-8")
    checks = json.loads(project.shiftwork("doctor", "--json").stdout)["checks"]
    assert [(check["name"], check["result"]) for check in checks if check["result"] == "fail"] == [("settings", "fail")]


# Gates in both places ---------------------------------------------------------------------------------------------


def gate_checks(project: Project, **env: str) -> tuple[dict[str, dict[str, Any]], str]:
    """The check of each gate, by the gate's name; and the standard error."""
    completed = project.shiftwork("doctor", "--gates", "--unconfined", "--json", **env)
    checks = [check for check in json.loads(completed.stdout)["checks"] if check["name"] == "gates"][1:]
    return {check["detail"].partition(":")[0]: check for check in checks}, completed.stderr


def committed(project: Project, **files: str) -> None:
    for name, text in files.items():
        (project.root / name).write_text(text, encoding="utf-8")
    project.git("add", "-f", *files)
    project.git("commit", "-q", "-m", "files")


def test_gates_run_in_the_checkout_too_with_the_users_whole_environment(project: Project) -> None:
    project = replace(project, tier="none")  # with a sandbox, gates that are green in it run nowhere else
    project.settle(gates='here = "pwd; exit 1"\nready = "test -f README"')
    checks, reserved = gate_checks(project)
    assert f"and then in your checkout, {project.root}" in reserved
    assert checks["ready"]["result"] == "ok"
    assert "; in your checkout in " in checks["ready"]["detail"]
    assert "red on main, and in your checkout" in checks["here"]["detail"]


def test_a_variable_that_gates_are_not_given_is_named_with_the_line_that_gives_it(project: Project) -> None:
    committed(project, **{"check.sh": 'test -n "$DATABASE_URL" || { echo no database; exit 1; }\n'})
    project.settle(gates='test = "sh check.sh"\n\n[workspace]\nenv = ["KNOWN"]')
    checks, _ = gate_checks(project, DATABASE_URL="postgres://here", UNRELATED="x")
    assert checks["test"]["result"] == "fail"
    assert "why: gates do not get DATABASE_URL; with that it passes" in checks["test"]["detail"]
    line = 'env = ["KNOWN", "DATABASE_URL"]'
    assert checks["test"]["hint"] == f"under [workspace] in shiftwork.toml: {line}"
    project.settle(gates=f'test = "sh check.sh"\n\n[workspace]\n{line}')
    checks, _ = gate_checks(project, DATABASE_URL="postgres://here")
    assert checks["test"]["result"] == "ok", "what is offered is what helps"


def test_a_variable_that_leads_into_the_checkout_is_never_offered(project: Project) -> None:
    committed(project, **{"check.sh": 'grep -q right "$SOURCES/answer" # SOURCES\n', "answer": "wrong\n"})
    (project.root / "answer").write_text("right\n", encoding="utf-8")
    project.settle(gates='test = "sh check.sh"')
    checks, _ = gate_checks(project, SOURCES=str(project.root))
    assert checks["test"]["result"] == "fail"
    assert "SOURCES" not in checks["test"]["hint"], "the gate would judge the checkout and not the tree"


def test_an_ignored_file_is_named_with_the_line_that_includes_it(project: Project) -> None:
    committed(project, **{"check.sh": "grep -q key .env\n", ".gitignore": ".env\nnotes.txt\n.venv/\n"})
    for name, text in {".env": "key\n", "notes.txt": "mine\n"}.items():
        (project.root / name).write_text(text, encoding="utf-8")
    project.settle(gates='test = "sh check.sh"')
    checks, _ = gate_checks(project)
    assert (
        "why: git ignores .env, so the clean tree of the gate lacks it; with a copy of it the gate passes"
        in checks["test"]["detail"]
    )
    assert checks["test"]["hint"] == "in .worktreeinclude, a line each: /.env"
    (project.root / ".worktreeinclude").write_text("/.env\n", encoding="utf-8")
    assert gate_checks(project)[0]["test"]["result"] == "ok", "what is offered is what helps"


def test_an_environment_in_the_checkout_is_named_with_where_to_make_it(project: Project) -> None:
    committed(project, **{".gitignore": ".venv/\n"})
    program = project.root / ".venv" / "bin" / "checker"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    program.chmod(0o755)
    project.settle(gates='test = ".venv/bin/checker"')
    checks, _ = gate_checks(project)
    assert "why: it needs an environment that a gate tree does not have" in checks["test"]["detail"]
    assert f"it starts .venv/bin/checker: {program}, in your checkout alone" in checks["test"]["detail"]
    assert checks["test"]["hint"].startswith("under [workspace] in shiftwork.toml: setup = ")
    made = "mkdir -p .venv/bin && ln -s /bin/true .venv/bin/checker"
    project.settle(gates=f'test = ".venv/bin/checker"\n\n[workspace]\nsetup = "{made}"')
    assert gate_checks(project)[0]["test"]["result"] == "ok"
    project.settle(gates='test = ".venv/bin/checker"\n\n[workspace]\nsetup = "mkdir other"')
    assert "the setup command does not provide it: mkdir other" in gate_checks(project)[0]["test"]["hint"]


def test_a_file_that_is_not_committed_is_named(project: Project) -> None:
    project.settle(gates='test = "test -f new.txt"')
    (project.root / "new.txt").touch()
    checks, _ = gate_checks(project)
    assert "your checkout has files that main does not have, and with them it passes" in checks["test"]["detail"]


def test_a_gate_that_is_red_in_the_checkout_alone_is_a_note(project: Project) -> None:
    project = replace(project, tier="none")  # with a sandbox, a gate that is green in it runs nowhere else
    project.settle(gates='test = "test ! -e new.txt"')
    (project.root / "new.txt").touch()
    completed = project.shiftwork("doctor", "--gates")
    assert completed.returncode == 0, completed.stdout
    assert "red in your checkout" in completed.stdout


# Agents -----------------------------------------------------------------------------------------------------------

LOGGED_OUT = """\
#!/bin/sh
case "$1" in
--version) echo 2.1.0 ;;
auth) echo '{"loggedIn": false, "authMethod": "none"}'; exit 1 ;;
*) touch "$0.paid"; sleep 600 ;;
esac
"""


def put(program: Path, text: str) -> Path:
    program.parent.mkdir(exist_ok=True)
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    return program


def test_an_agent_that_is_not_logged_in_is_reported_before_anything_is_paid_for(
    project: Project, tmp_path: Path
) -> None:
    """The first session was begun all the same, and nothing was to be seen for two minutes."""
    program = put(tmp_path / "bin" / "claude", LOGGED_OUT)
    (project.root / "shiftwork.toml").write_text(f'[agent]\nprogram = "{program}"\n[gates]\n', encoding="utf-8")
    code, checks = examined(project, ANTHROPIC_API_KEY="")
    assert (code, checks["agent"]["result"]) == (1, "fail")
    completed = project.shiftwork("run", "Add a greeting", ANTHROPIC_API_KEY="")
    assert completed.returncode == 1
    assert (
        completed.stderr.splitlines()[0]
        == f"shiftwork: {checks['agent']['detail']}"
        == "shiftwork: Claude Code is not logged in"
    )
    assert "claude auth login, or set ANTHROPIC_API_KEY" in completed.stderr
    assert not program.with_name("claude.paid").exists()
    with_key = project.shiftwork("doctor", ANTHROPIC_API_KEY="sk-ant-dummy").stdout
    assert "claude-code: 2.1.0, with an API key" in with_key


def test_the_agent_that_is_installed_is_recommended(project: Project, tmp_path: Path) -> None:
    codex = put(tmp_path / "bin" / "codex", "#!/bin/sh\necho codex-cli 1\n")
    path = f"{codex.parent}:/usr/bin:/bin"
    (project.root / "shiftwork.toml").write_text("[gates]\n", encoding="utf-8")
    code, checks = examined(project, PATH=path)
    assert (code, checks["agent"]["result"]) == (1, "fail")
    recommended = (
        'codex is installed: use = "codex" under [agent] in shiftwork.toml, or --agent codex; else: npm install'
    )
    assert checks["agent"]["hint"].startswith(recommended)
    assert recommended in project.shiftwork("run", "Add a greeting", PATH=path).stderr
    codex.unlink()
    assert "codex" not in examined(project, PATH=path)[1]["agent"]["hint"]
