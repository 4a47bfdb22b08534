"""Attacks by detection of the project's needs: a setup command and checks that the user has not configured."""

import json
from pathlib import Path

import pytest

from tests.attacks.state_rig import settled, typed
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.e2e.cli_rig import Project, new_project

EX_USAGE = 64


CLAUDE = """\
#!/bin/sh
case "$1" in --version) echo "2.0.0 (Claude Code)"; exit;; auth) echo '{"loggedIn": true}'; exit;; esac
cat > /dev/null
test ! -e .claude/settings.json || sh -c "$(sed -n 's/.*"command": "\\([^"]*\\)".*/\\1/p' .claude/settings.json)"
echo hello > hello.txt
printf '%s\\n' '{"type":"result","subtype":"success","is_error":false,"result":"SUMMARY: done","session_id":"x"}'
"""
"""Claude Code as far as it matters here: started with `-p`, it runs the hooks of a project's settings unasked."""


def with_claude(folder: Path) -> dict[str, str]:
    """The environment of a user who has that program and a key."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "claude").write_text(CLAUDE)
    (tools / "claude").chmod(0o755)
    return {"PATH": f"{tools}:/usr/local/bin:/usr/bin:/bin", "ANTHROPIC_API_KEY": "none"}


def row(name: str, severity: Severity, harm: Harm, seen: int | None = None) -> Attack:
    return Attack(name=name, layer="setup", severity=severity, harm=harm, seen=seen)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A clone of an attacker's repository, whose package runs a script when it is installed."""
    project = new_project(tmp_path)
    (project.root / "shiftwork.toml").unlink()
    scripts = {"test": "true", "postinstall": f"touch {tmp_path}/canary"}
    (project.root / "package.json").write_text(json.dumps({"name": "x", "version": "1.0.0", "scripts": scripts}))
    lock = {"name": "x", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": {"name": "x", "version": "1.0.0"}}}
    (project.root / "package-lock.json").write_text(json.dumps(lock))
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "package")
    return project


@attack(row("a setup command that was found runs scripts of packages unsaid", Severity.MEDIUM, Harm.EXECUTION, seen=25))
def test_setup_unsaid(tier: str, project: Project, tmp_path: Path) -> Outcome:
    """In the sandbox it is shown and writes nowhere else; without one it needs consent for these dependencies."""
    words, env = ("run", "--workflow", "ralph", "Say hello"), with_claude(tmp_path)
    completed = typed(project, tier, *words, trusted=False, **env)
    unharmed = not (tmp_path / "canary").exists()
    if tier == "auto":
        return settled(unharmed, "setup found in this project: npm ci" in completed.stdout)
    asked = completed.returncode == EX_USAGE and "setup              npm ci" in completed.stderr
    assert typed(project, tier, "trust", "setup", trusted=False).returncode == 0
    known = typed(project, tier, "trust", "setup", "--show", trusted=False).stdout
    (project.root / "package-lock.json").write_text("{}")
    project.git("commit", "-q", "-a", "-m", "another lock file")
    again = typed(project, tier, *words, trusted=False, **env)
    return settled(
        unharmed,
        asked,
        "\ntrusted: " in known,
        again.returncode == EX_USAGE,
        "+ package-lock.json  git object" in again.stderr,
    )


@attack(row("init runs what it found in a clone of somebody else's", Severity.HIGH, Harm.EXECUTION))
def test_init_runs_nothing(tier: str, project: Project, tmp_path: Path) -> Outcome:
    (project.root / "package.json").write_text(json.dumps({"scripts": {"test": f"touch {tmp_path}/canary"}}))
    project.git("commit", "-q", "-a", "-m", "test")
    completed = typed(project, tier, "init", trusted=False)
    return settled(
        completed.returncode == 0, not (tmp_path / "canary").exists(), "not run: you have not" in completed.stdout
    )


@attack(row("init counts as consent to the commands that it found", Severity.MEDIUM, Harm.CONSENT))
def test_init_is_no_consent(tier: str, project: Project) -> Outcome:
    assert typed(project, tier, "init", "--no-check", trusted=False).returncode == 0
    completed = typed(project, tier, "run", "--workflow", "ralph", "Say hello", trusted=False)
    return settled(completed.returncode == EX_USAGE, "gates.test" in completed.stderr, "npm" in completed.stderr)


@attack(row("hooks in the agent's settings of a clone run when a session begins", Severity.HIGH, Harm.EXECUTION))
def test_hooks_of_the_agent(tier: str, tmp_path: Path) -> Outcome:
    """In the sandbox they run inside; without one they need consent for these very files."""
    project, env = new_project(tmp_path), with_claude(tmp_path)
    (project.root / "shiftwork.toml").write_text('[agent]\nuse = "claude-code"\n\n[gates]\ntest = "true"\n')
    hook = {"type": "command", "command": f"touch {tmp_path}/canary"}
    (project.root / ".claude").mkdir()
    (project.root / ".claude/settings.json").write_text(json.dumps({"hooks": {"SessionStart": [{"hooks": [hook]}]}}))
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "settings")
    assert typed(project, tier, "trust", trusted=False).returncode == 0
    completed = typed(project, tier, "run", "--workflow", "ralph", "Say hello", trusted=False, **env)
    unharmed = not (tmp_path / "canary").exists()
    if tier == "auto":
        return settled(unharmed, completed.returncode == 0)
    asked = completed.returncode == EX_USAGE and ".claude/settings.json  git object" in completed.stderr
    assert typed(project, tier, "trust", "agent", trusted=False, **env).returncode == 0
    again = typed(project, tier, "run", "--workflow", "ralph", "Say hello", trusted=False, **env)
    assert again.returncode == 0, again
    assert (tmp_path / "canary").exists(), "what was agreed to is run"
    return settled(unharmed, asked, "shiftwork trust agent" in completed.stderr)
