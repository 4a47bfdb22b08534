"""The commit-msg hook of a repository: `doctor` tries it, `run` names it, and a person answers its refusal."""

from pathlib import Path

import pytest

from tests.e2e.cli_rig import Project, new_project

HOOK = """\
#!/bin/sh
grep -q '^AB-[0-9]' "$1" || { echo "no ticket in: $(head -1 "$1")"; exit 1; }
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = new_project(tmp_path)
    hook = made.root / ".githooks/commit-msg"
    hook.parent.mkdir()
    hook.write_text(HOOK)
    hook.chmod(0o755)
    made.git("add", ".githooks")
    made.git("commit", "-q", "-m", "a hook")
    made.git("config", "core.hooksPath", ".githooks")
    return made


def set_commit(project: Project, *lines: str) -> None:
    file = project.root / "shiftwork.toml"
    text = file.read_text().partition("\n[commit]\n")[0]
    file.write_text("\n".join((text, "[commit]", *lines, "")))


def message_lines(project: Project, *words: str, **env: str) -> list[str]:
    """What `doctor` says of it."""
    lines = project.shiftwork("doctor", *words, **env).stdout.splitlines()
    start = next((number for number, line in enumerate(lines) if line[6:13] == "message"), len(lines))
    return [line for number, line in enumerate(lines) if number == start or (number > start and line[:6].strip() == "")]


def test_doctor_says_which_hook_is_in_force_and_whether_it_accepts_a_sample(project: Project) -> None:
    set_commit(project, 'hook = "always"')
    refused = "\n".join(message_lines(project))
    assert "warn  message     .githooks/commit-msg refuses a sample" in refused
    assert "no ticket in: feat: US-001 - Add a sample" in refused
    assert "shiftwork config set commit.hook off" in refused
    set_commit(project, 'hook = "always"', 'message = "AB-1 {title}"')
    assert message_lines(project)[0] == "ok    message     .githooks/commit-msg accepts a sample: AB-1 Add a sample"
    set_commit(project, 'hook = "off"')
    assert message_lines(project)[0] == "ok    message     .githooks/commit-msg is not asked: commit.hook is off"
    set_commit(project)
    without = message_lines(project, SHIFTWORK_SANDBOX="none")
    assert without[0].endswith(".githooks/commit-msg is not asked: without a sandbox it would run with your rights")
    assert "shiftwork config set commit.hook always" in without[1]


def test_what_would_take_long_is_tried_with_the_gates(project: Project) -> None:
    set_commit(project, 'hook = "always"', "[workspace]", "setup = 'true'")
    assert message_lines(project)[0].endswith("; not tried without --gates")
    assert "refuses a sample" in message_lines(project, "--gates")[0]


def test_a_hook_that_no_commit_contains_is_not_asked(project: Project) -> None:
    project.git("config", "--unset", "core.hooksPath")
    assert message_lines(project) == []
    own = project.root / ".git/hooks/commit-msg"
    own.parent.mkdir(exist_ok=True)
    own.write_text(HOOK)
    assert message_lines(project)[0].endswith(".git/hooks/commit-msg is not asked: it is in no commit")


def test_a_refused_message_waits_for_a_person_who_types_its_subject(project: Project) -> None:
    set_commit(project, 'hook = "always"')
    run = project.shiftwork("run", "Say hello")
    assert "commit messages are checked by .githooks/commit-msg" in run.stdout
    assert "US-001 needs a commit message: .githooks/commit-msg refused" in run.stdout
    assert "no ticket in: feat: Say hello" in run.stdout
    assert run.returncode != 0
    landed = project.shiftwork("answer", "US-001", "AB-7 say hello")
    assert landed.returncode == 0, landed.stdout
    assert project.git("log", "-1", "--format=%s") == "AB-7 say hello"
    assert project.shiftwork("proof", "US-001", "--verify").returncode == 0
