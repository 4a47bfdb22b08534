"""`doctor` reports in advance what `run` would refuse, in the same words, with the command that helps."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.e2e.cli_rig import Project, on_a_terminal

AGENT = '[agent]\nuse = "command"\ncommand = "true"\n[gates]\n'
REFUSED = {
    AGENT + '[run]\nworkflow = "ralf"\n': "workflow",
    AGENT + '[workspace]\nbranch = "nope"\n': "branch",
    AGENT + "[limits]\nrun_usd = 5\n": "workflow",
    AGENT.replace("[gates]", 'fallback = ["other"]\n[gates]\n[profiles.other]\nprogram = "no-such-one"'): "agent",
    '[agent]\nuse = "codex"\nprogram = "/nowhere/codex"\n[gates]\ntest = "touch RAN"\n': "agent",
}
"""Settings with which no run begins, and the check that says so."""


def examined(project: Project, **env: str) -> tuple[int, dict[str, dict[str, Any]]]:
    completed = project.shiftwork("doctor", "--json", **env)
    return completed.returncode, {check["name"]: check for check in json.loads(completed.stdout)["checks"]}


def refusal(project: Project) -> dict[str, Any]:
    """What `run` says instead of beginning."""
    document: dict[str, Any] = json.loads(project.shiftwork("run", "Add it", "--json").stdout.splitlines()[-1])
    assert document["exit_code"] in {1, 64}
    return document


def test_doctor_is_content_where_a_run_can_begin_and_keeps_within_a_terminal(project: Project) -> None:
    completed = project.shiftwork("doctor")
    assert completed.returncode == 0, completed
    states = {name: state for state, name, *_ in map(str.split, filter(None, completed.stdout.splitlines()))}
    wanted = ("git", "repository", "branch", "gates", "agent", "database")
    assert [states[name] for name in wanted] == ["ok"] * len(wanted)
    assert completed.stdout.splitlines()[-1] == 'ready: shiftwork run "what you want done"'

    project.git("config", "commit.gpgsign", "yes")
    project.git("config", "--unset", "user.email")
    (project.root / ".shiftwork").mkdir()
    (project.root / ".shiftwork/state.db").write_text("not a database")
    remarks = project.shiftwork("doctor")
    assert remarks.returncode == 0, "those are no failures"
    author, signing = [line for line in remarks.stdout.splitlines() if line.startswith("warn  commits ")]
    assert author.endswith("commits that land are by Shiftwork <shiftwork@localhost>")
    assert "commit.gpgsign is set, but commits that land are not signed" in signing
    assert ".shiftwork is in the checkout and is not read" in remarks.stdout
    assert "try: look at it, then: rm -r .shiftwork" in remarks.stdout
    assert project.shiftwork("status").returncode == 64, "and it is not read"

    code, screen = on_a_terminal(project, "doctor", TERM="dumb")
    lines = screen.decode().splitlines()
    assert code == 0
    assert ("try: SHIFTWORK_SANDBOX=auto" in screen.decode()) == (project.tier == "none")
    assert max(map(len, lines)) <= 80
    assert all(line[:5].strip() or line.startswith(" " * 18) for line in lines if line.strip())


def test_doctor_fails_for_what_a_run_refuses_before_any_gate_is_run(project: Project) -> None:
    ran, messages = project.shared / "ran", list[str]()
    for settings, name in REFUSED.items():
        (project.root / "shiftwork.toml").write_text(settings.replace("RAN", str(ran)), encoding="utf-8")
        refused = refusal(project)
        code, checks = examined(project)
        assert code == 1
        assert (checks[name]["result"], checks[name]["detail"]) == ("fail", refused["message"])
        assert checks[name]["hint"] == refused["hint"] != ""
        messages.append(refused["message"])
    assert "/nowhere/codex" in messages[-1]
    assert not ran.exists()

    (project.root / "shiftwork.toml").write_text(AGENT, encoding="utf-8")
    project.git("checkout", "-q", "--detach")
    refused = refusal(project)
    code, checks = examined(project)
    assert (code, checks["gates"]["result"]) == (1, "warn")
    assert (checks["branch"]["detail"], checks["branch"]["hint"]) == (refused["message"], refused["hint"])
    assert refused["exit_code"] == 64
    assert project.shiftwork("run", "Add a greeting", "--branch", "nope").returncode == 64
    (project.root / "shiftwork.toml").write_text(f'{AGENT}[workspace]\nbranch = "main"\n', encoding="utf-8")
    code, checks = examined(project)
    assert (code, checks["branch"]["detail"]) == (0, "main"), "the settings name one"


def test_doctor_lists_every_mistake_in_the_settings(project: Project) -> None:
    settings = project.root / "shiftwork.toml"
    settings.write_text('[limits]\nrun_usd = "x"\nwaits = "y"\n', encoding="utf-8")
    lines = [line.strip() for line in project.shiftwork("doctor").stdout.splitlines()]
    place = lines.index("fail  settings    shiftwork.toml has 2 mistakes:")
    assert lines[place + 1] == "limits.run_usd: a number is needed, not 'x'"
    assert lines[place + 2] == "limits.waits: a whole number is needed, not 'y'"
    assert (
        lines[place + 3]
        == "try: fix shiftwork.toml; shiftwork config validate shows where, shiftwork config list every setting"
    )
    settings.write_text("[[[\n", encoding="utf-8")
    checks = json.loads(project.shiftwork("doctor", "--json").stdout)["checks"]
    assert [(check["name"], check["result"]) for check in checks if check["result"] == "fail"] == [("settings", "fail")]


def test_doctor_runs_nothing_of_a_repository_before_its_files_are_trusted(project: Project) -> None:
    file = project.root / "shiftwork/workflows/ours.yml"
    file.parent.mkdir(parents=True)
    steps = "  - { id: coding, description: Do it }\n  - { id: smoke, kind: gate, run: make smoke }\n"
    file.write_text(f"id: ours\nsteps:\n{steps}", encoding="utf-8")
    with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as settings:
        settings.write('[run]\nworkflow = "ours"\n')
    code, checks = examined(project, SHIFTWORK_TRUST="")
    assert (code, checks["trust"]["result"]) == (1, "fail")
    assert checks["agent"]["detail"] == "not asked for its version: the settings that name it are not trusted yet"
    untrusted = project.shiftwork("doctor", "--gates", SHIFTWORK_TRUST="")
    assert "not run: the settings that name them are not trusted yet" in untrusted.stdout
    for words in (("trust",), ("trust", "ours")):
        completed = project.shiftwork("doctor", SHIFTWORK_TRUST="")
        assert completed.returncode == 1
        assert "fix the items marked fail" in completed.stdout
        assert project.shiftwork(*words, SHIFTWORK_TRUST="").returncode == 0
    code, checks = examined(project, SHIFTWORK_TRUST="")
    assert (code, checks["workflow"]["detail"]) == (0, f"ours from {file}")


# Repositories that cannot be worked on ----------------------------------------------------------------------------


def way_out(project: Project) -> str:
    """The command that a refused run and the doctor both suggest."""
    refused = refusal(project)
    code, checks = examined(project)
    assert code == 1
    assert checks["repository"]["detail"] in refused["message"]
    assert checks["repository"]["hint"] == refused["hint"]
    assert refused["exit_code"] == 64, "nothing was started"
    hint: str = refused["hint"]
    return hint


def elsewhere(project: Project, folder: Path) -> Project:
    return Project(root=folder, agent=project.agent)


def test_a_checkout_that_is_not_whole_is_made_whole_by_what_is_reported(project: Project, tmp_path: Path) -> None:
    project.git("commit", "-q", "--allow-empty", "-m", "second")
    project.git("clone", "-q", "--depth=1", f"file://{project.root}", "../shallow")
    shallow = elsewhere(project, tmp_path / "shallow")
    shallow.settle()
    shallow.git("sparse-checkout", "set", "src")
    refused = shallow.shiftwork("run", "Add a greeting")
    assert refused.stderr.endswith("it is a shallow clone; it is a sparse checkout\n  try: shiftwork doctor\n")
    message = shallow.shiftwork("doctor").stdout
    assert "try: git fetch --unshallow\n" in message
    assert "try: git sparse-checkout disable\n" in message
    assert shallow.types("git fetch --unshallow").returncode == 0
    assert shallow.types(way_out(shallow)).returncode == 0
    assert examined(shallow)[0] == 0

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


# Gates in both places ---------------------------------------------------------------------------------------------


def gate_checks(project: Project, **env: str) -> tuple[dict[str, dict[str, Any]], str]:
    """The check of each gate, by the gate's name; and the standard error."""
    completed = project.shiftwork("doctor", "--gates", "--unconfined", "--json", **env)
    checks = [check for check in json.loads(completed.stdout)["checks"] if check["name"] == "gates"][1:]
    return {check["detail"].partition(":")[0]: check for check in checks}, completed.stderr


def test_gates_that_are_red_are_reported_before_any_work_is_paid_for(project: Project) -> None:
    gates = 'ready = "test -f README"\ntest = "echo looking; echo =====; echo No module named pytest >&2; exit 1"'
    project.settle(gates=gates)
    assert project.shiftwork("doctor").returncode == 0, "they are not run unasked"
    completed = project.shiftwork("doctor", "--gates", "--unconfined")
    assert completed.returncode == 1, completed
    lines = [line.strip() for line in completed.stdout.splitlines()]
    assert any(line.startswith("ok    gates       ready: passed in ") for line in lines)
    place = lines.index("fail  gates       test: red on main, and in your checkout")
    assert lines[place + 1 : place + 3] == ["looking", "No module named pytest"]
    assert lines[place + 3] == "whole log: .git/shiftwork/logs/doctor/gates/test.log"
    assert lines[place + 4].startswith("try: make it pass, or correct its command in shiftwork.toml")


def test_without_a_sandbox_gates_run_in_the_checkout_too(project: Project) -> None:
    project = replace(project, tier="none")  # with a sandbox, gates that are green in it run nowhere else
    (project.root / "new.txt").touch()
    project.settle(gates='here = "pwd; exit 1"\nready = "test -f README"\nclean = "test ! -e new.txt"')
    checks, reserved = gate_checks(project)
    assert f"and then in your checkout, {project.root}" in reserved
    assert checks["ready"]["result"] == "ok"
    assert "; in your checkout in " in checks["ready"]["detail"]
    assert "red on main, and in your checkout" in checks["here"]["detail"]
    assert "red in your checkout" in checks["clean"]["detail"]
    project.settle(gates='clean = "test ! -e new.txt"')
    assert project.shiftwork("doctor", "--gates").returncode == 0, "red in the checkout alone is a note"


GATES = {
    "variable": 'test -n "$DATABASE_URL" || { echo no database; exit 1; }',
    "sources": 'grep -q right "$SOURCES/answer" # SOURCES',
    "ignored": "grep -q key .env",
    "new": "test -f new.txt",
    "program": ".venv/bin/checker",
}
"""Each is red in a clean tree for a reason of its own, and green in the checkout."""

FIXED_WITH = 'env = ["KNOWN", "DATABASE_URL"]'


def judged_by(project: Project, commands: Mapping[str, str], workspace: str) -> None:
    gates = "\n".join(f'{name} = "{command}"' for name, command in commands.items())
    project.settle(gates=f"{gates}\n\n[workspace]\n{workspace}")


def test_a_gate_that_is_red_in_a_clean_tree_alone_is_explained_with_the_line_that_makes_it_green(
    project: Project,
) -> None:
    for name in ("variable", "sources"):
        (project.root / f"{name}.sh").write_text(f"{GATES[name]}\n", encoding="utf-8")
    for name, text in {".gitignore": ".env\nnotes.txt\n.venv/\n", "answer": "wrong\n"}.items():
        (project.root / name).write_text(text, encoding="utf-8")
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "files")
    for name, text in {"answer": "right\n", ".env": "key\n", "notes.txt": "mine\n", "new.txt": ""}.items():
        (project.root / name).write_text(text, encoding="utf-8")
    checker = put(project.root / ".venv/bin/checker", "#!/bin/sh\nexit 0\n")
    commands = {**GATES, "variable": "sh variable.sh", "sources": "sh sources.sh"}
    env = {"DATABASE_URL": "postgres://here", "UNRELATED": "x", "SOURCES": str(project.root)}

    judged_by(project, commands, 'env = ["KNOWN"]')
    checks, _ = gate_checks(project, **env)
    assert [checks[name]["result"] for name in commands] == ["fail"] * len(commands)
    assert "why: gates do not get DATABASE_URL; with that it passes" in checks["variable"]["detail"]
    assert checks["variable"]["hint"] == f"under [workspace] in shiftwork.toml: {FIXED_WITH}"
    assert "SOURCES" not in checks["sources"]["hint"], "the gate would judge the checkout and not the tree"
    assert (
        "why: git ignores .env, so the clean tree of the gate lacks it; with a copy of it the gate passes"
        in checks["ignored"]["detail"]
    )
    assert checks["ignored"]["hint"] == "in .worktreeinclude, a line each: /.env"
    assert "your checkout has files that main does not have, and with them it passes" in checks["new"]["detail"]
    assert "why: it needs an environment that a gate tree does not have" in checks["program"]["detail"]
    assert f"it starts .venv/bin/checker: {checker}, in your checkout alone" in checks["program"]["detail"]
    assert checks["program"]["hint"].startswith("under [workspace] in shiftwork.toml: setup = ")

    (project.root / ".worktreeinclude").write_text("/.env\n", encoding="utf-8")
    project.git("add", "new.txt")
    project.git("commit", "-q", "-m", "new")
    made = "mkdir -p .venv/bin && ln -s /bin/true .venv/bin/checker"
    del commands["sources"]
    judged_by(project, commands, f'{FIXED_WITH}\nsetup = "{made}"')
    checks, _ = gate_checks(project, **env)
    assert [checks[name]["result"] for name in commands] == ["ok"] * len(commands), "what is offered is what helps"
    judged_by(project, commands, f'{FIXED_WITH}\nsetup = "mkdir other"')
    checks, _ = gate_checks(project, **env)
    assert "the setup command does not provide it: mkdir other" in checks["program"]["hint"]


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
    program.parent.mkdir(exist_ok=True, parents=True)
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    return program


def test_an_agent_that_cannot_work_is_reported_before_anything_is_paid_for(project: Project, tmp_path: Path) -> None:
    """The first session was begun all the same, and nothing was to be seen for two minutes."""
    program = put(tmp_path / "other" / "claude", LOGGED_OUT)
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

    codex = put(tmp_path / "bin" / "codex", "#!/bin/sh\necho codex-cli 1\n")
    path = f"{codex.parent}:/usr/bin:/bin"
    (project.root / "shiftwork.toml").write_text("[gates]\n", encoding="utf-8")
    code, checks = examined(project, PATH=path)
    assert (code, checks["agent"]["result"]) == (1, "fail")
    recommended = (
        'codex is installed: use = "codex" under [agent] in shiftwork.toml, or --agent codex; else: npm install'
    )
    assert checks["agent"]["hint"].startswith(recommended), "the agent that is installed is recommended"
    assert recommended in project.shiftwork("run", "Add a greeting", PATH=path).stderr
    codex.unlink()
    assert "codex" not in examined(project, PATH=path)[1]["agent"]["hint"]
