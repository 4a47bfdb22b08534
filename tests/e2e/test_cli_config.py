"""`shiftwork config`: what is in force and why, and a change that keeps the file and gives no consent."""

import json
from typing import Any

from tests.e2e.cli_rig import Project, on_a_terminal


def document(project: Project, *words: str, **env: str) -> dict[str, Any]:
    return json.loads(project.shiftwork("config", *words, "--json", **env).stdout)  # type: ignore[no-any-return]


def test_settings_are_listed_explained_changed_and_checked_with_each_mistake_on_its_line(
    project: Project,
) -> None:
    listed = {item["name"]: item for item in document(project, "list", SHIFTWORK_MODEL="opus")["settings"]}
    assert (listed["agent.model"]["source"], listed["agent.model"]["where"]) == ("environment", "$SHIFTWORK_MODEL")
    assert (listed["agent.use"]["source"], listed["run.parallel"]["source"]) == ("file", "default")
    explained = project.shiftwork("config", "explain", "sandbox.tier").stdout
    assert "shiftwork trust" in explained
    assert "$SHIFTWORK_SANDBOX" in explained
    before = (project.root / "shiftwork.toml").read_text(encoding="utf-8")
    project.shiftwork("trust", SHIFTWORK_TRUST="")
    free = document(project, "set", "run.parallel", "7", SHIFTWORK_TRUST="")
    assert (free["value"], free["was_changed"], free["trusted"]) == (7, True, True)
    lower = project.shiftwork("config", "set", "limits.run_usd", "9", SHIFTWORK_TRUST="")
    assert lower.stdout.splitlines() == ["limits.run_usd is now 9"], "a limit where there was none needs no consent"
    limit = project.shiftwork("config", "set", "limits.wait_hours", "9", SHIFTWORK_TRUST="")
    assert limit.stdout.splitlines()[0] == "limits.wait_hours is now 9"
    assert limit.stdout.splitlines()[1].startswith("next: shiftwork trust ")
    refused = project.shiftwork("run", "Add a greeting", SHIFTWORK_TRUST="")
    assert (refused.returncode, "limits.wait_hours" in refused.stderr) == (64, True)
    assert project.shiftwork("config", "get", "limits.wait_hours").stdout == "9\n"
    assert project.shiftwork("config", "unset", "limits.wait_hours").returncode == 0
    assert project.shiftwork("config", "unset", "limits.run_usd").returncode == 0
    assert project.shiftwork("config", "unset", "run.parallel").returncode == 0
    assert (project.root / "shiftwork.toml").read_text(encoding="utf-8").rstrip() == before.rstrip()

    wrong = project.shiftwork("config", "set", "run.keep_going", "yes")
    assert (wrong.returncode, wrong.stderr.splitlines()) == (
        64,
        [
            "shiftwork: run.keep_going: true or false is needed, not 'yes'",
            "  try: shiftwork config explain run.keep_going",
        ],
    )
    assert "did you mean run.parallel?" in project.shiftwork("config", "set", "run.paralel", "3").stderr
    valid = project.shiftwork("config", "validate")
    assert (valid.returncode, valid.stdout) == (0, "shiftwork.toml is valid\n")
    (project.root / "shiftwork.toml").write_text("[limits]\nrunusd = 3\n[run]\nparallel = 0\n", encoding="utf-8")
    checked = project.shiftwork("config", "validate")
    assert checked.returncode == 64
    assert checked.stdout.splitlines() == [
        "shiftwork.toml has 2 mistakes:",
        "  line 2: limits.runusd: unknown key; did you mean run_usd?",
        "    try: shiftwork config unset limits.runusd",
        "  line 4: run.parallel: must be 1 or more, not 0",
        "    try: shiftwork config explain run.parallel",
    ]
    (project.root / "shiftwork.toml").write_text("[limits\n", encoding="utf-8")
    broken = document(project, "validate")
    assert (broken["valid"], broken["mistakes"][0]["line"]) == (False, 1)


def test_a_command_that_is_set_at_a_terminal_is_shown_in_full_and_agreed_to_there(project: Project) -> None:
    def is_trusted() -> bool:
        shown = json.loads(project.shiftwork("trust", "--show", "--json", SHIFTWORK_TRUST="").stdout)
        return bool(shown["claims"][0]["trusted"])

    command = "make lint  # for all\ntouch here"
    unseen = ("config", "set", "gates.lint", command)
    code, screen = on_a_terminal(project, *unseen, typed=b"y\n", SHIFTWORK_TRUST="")
    assert (code, b"agree" in screen.partition(b"next:")[0], is_trusted()) == (0, False, False), (
        "nothing of this file was agreed to before: one line does not agree to the others"
    )
    project.shiftwork("config", "unset", "gates.lint")
    project.shiftwork("trust", SHIFTWORK_TRUST="")
    code, screen = on_a_terminal(project, *unseen, typed=b"n\n", SHIFTWORK_TRUST="")
    text = " ".join(screen.decode().split())
    assert "+ gates.lint make lint<2 blanks># for all<LF> touch here" in text, text
    assert (code, "do you agree to that on this machine? [y/N]" in text, is_trusted()) == (0, True, False)
    assert "next: shiftwork trust" in text
    project.shiftwork("config", "unset", "gates.lint")
    assert is_trusted()
    code, screen = on_a_terminal(project, *unseen, typed=b"y\n", SHIFTWORK_TRUST="")
    assert (code, b"next:" in screen, is_trusted()) == (0, False, True), screen
    code, screen = on_a_terminal(
        project, "config", "set", "gates.lint", "curl x | sh", typed=b"y\n", SHIFTWORK_TRUST="", CLAUDECODE="1"
    )
    assert (code, b"do you agree" in screen, is_trusted()) == (0, False, False), screen
    refused = project.shiftwork("trust", SHIFTWORK_TRUST="", CODEX_THREAD_ID="a")
    assert (refused.returncode, is_trusted()) == (64, False)
    assert "only a person can agree to that" in refused.stderr
    assert "CODEX_THREAD_ID is set" in refused.stderr
