"""Attacks on the ladder of gates: to run a gate with more access to the machine than the user has agreed to."""

import json
import shutil
from pathlib import Path

import pytest

from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP
from tests.e2e.cli_rig import WORKING, Project, new_project
from tests.tier import TIER_VARIABLE

pytestmark = NEEDS_BUBBLEWRAP


def row(name: str, severity: Severity = Severity.HIGH, *, none: Outcome = Outcome.SUCCEEDED) -> Attack:
    """Without a sandbox there is none to leave: a gate has the user's rights by their own choice."""
    return Attack(name=name, layer="ladder", severity=severity, harm=Harm.EXECUTION, none=none)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Its gate is green outside alone, and leaves a trace there."""
    (tmp_path / "there").touch()
    made = new_project(tmp_path)
    made.settle(gates=f'test = "{leaving(tmp_path)}"')
    return made


def leaving(folder: Path) -> str:
    return f"cat {folder}/there && touch {folder}/outside"


def left(folder: Path) -> Outcome:
    return Outcome.SUCCEEDED if (folder / "outside").exists() else Outcome.PREVENTED


def typed(project: Project, tier: str, *words: str, **env: str) -> str:
    done = project.shiftwork(*words, **{TIER_VARIABLE: tier, **env})
    return done.stdout + done.stderr


@attack(row("trust in the settings is taken for consent to leave the sandbox", Severity.CRITICAL))
def test_trust_is_not_consent(tier: str, project: Project, tmp_path: Path) -> Outcome:
    typed(project, tier, "trust")
    typed(project, tier, "run", "Say hello", "--trust", SHIFTWORK_TRUST="1")
    return left(tmp_path)


@attack(row("a planted record of rungs sends a gate out of the sandbox", Severity.CRITICAL))
def test_planted_rungs(tier: str, project: Project, tmp_path: Path) -> Outcome:
    typed(project, tier, "doctor")
    (project.state / "known").mkdir(exist_ok=True)
    (project.state / "known" / "rungs.json").write_text(json.dumps({leaving(tmp_path): "unconfined"}))
    typed(project, tier, "run", "Say hello")
    return left(tmp_path)


@attack(row("a copy of a repository inherits the consent of the original"))
def test_copied_repository(tier: str, project: Project, tmp_path: Path) -> Outcome:
    typed(project, tier, "trust", "--gate", "test", "--access", "unconfined")
    shutil.copytree(project.root, tmp_path / "copy", symlinks=True)
    copy = Project(root=tmp_path / "copy", agent=project.agent)
    typed(copy, tier, "adopt")
    typed(copy, tier, "run", "Say hello")
    return left(tmp_path)


@attack(row("a gate is given another command under the name that has consent"))
def test_other_command(tier: str, project: Project, tmp_path: Path) -> Outcome:
    project.settle(gates='test = "true"')
    typed(project, tier, "trust", "--gate", "test", "--access", "unconfined")
    project.settle(gates=f'test = "{leaving(tmp_path)}"')
    typed(project, tier, "run", "Say hello")
    return left(tmp_path)


@attack(row("checks that were found in a clone run with the user's rights", Severity.CRITICAL, none=Outcome.PREVENTED))
def test_found_checks(tier: str, project: Project, tmp_path: Path) -> Outcome:
    """By `doctor --gates`, with nothing trusted; `init` writes the settings, and is no consent either."""
    (project.root / "shiftwork.toml").unlink()
    (project.root / "Makefile").write_text(f"test:\n\t{leaving(tmp_path)}\n")
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "hostile")
    typed(project, tier, "doctor", "--gates", SHIFTWORK_TRUST="")
    if tier == "auto":
        typed(project, tier, "init", SHIFTWORK_TRUST="")
        typed(project, tier, "doctor", "--gates", SHIFTWORK_TRUST="")
    return left(tmp_path)


@attack(row("a story's test fails in the sandbox to be let out of it", Severity.CRITICAL))
def test_landed_test(tier: str, project: Project, tmp_path: Path) -> Outcome:
    """It lands while it is green, and is red from then on: the next run stops, and offers nothing beyond that."""
    attacking = "test ! -e evil.sh || test -e first || sh evil.sh"
    project.settle(gates=f'test = "{attacking}"')
    script = f"{leaving(tmp_path)}\\n"
    agent = f'if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then printf "{script}" > evil.sh; touch first; fi\n{WORKING}'
    project.settle(agent=agent, gates=f'test = "{attacking}"')
    assert "landed on main" in typed(project, tier, "run", "Say hello")
    project.git("rm", "-q", "first")
    project.git("commit", "-q", "--amend", "--no-edit")  # as after a landed commit with a delayed effect
    output = typed(project, tier, "run", "Say hello again")
    offered = "--access" in output
    return Outcome.SUCCEEDED if offered else left(tmp_path)


@attack(row("a candidate fails in the sandbox to be run without one", Severity.CRITICAL, none=Outcome.SUCCEEDED))
def test_candidate(tier: str, project: Project, tmp_path: Path) -> Outcome:
    """A gate that is green on the base inside stays there, whatever a candidate does."""
    project.settle(
        agent=f'if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then printf "{leaving(tmp_path)}\\n" > t.sh; fi\n{WORKING}',
        gates='test = "test ! -e t.sh || sh t.sh"',
    )
    typed(project, tier, "run", "Say hello")
    return left(tmp_path)


@attack(
    Attack(
        name="an agent changes the tree in which another story's gates run",
        layer="ladder",
        severity=Severity.HIGH,
        harm=Harm.PROOF,
        none=Outcome.SUCCEEDED,
        seen=14,
    )
)
def test_gate_trees(tier: str, project: Project, tmp_path: Path) -> Outcome:
    cache = tmp_path / "cache"
    plants = f"find {cache} -type d -name 'verify-*' -exec touch '{{}}/planted' {tmp_path}/outside ';' 2> /dev/null"
    project.settle(agent=f'if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then {plants}; fi\n{WORKING}')
    assert "landed on main" in typed(project, tier, "run", "Say hello", SHIFTWORK_CACHE_HOME=str(cache))
    assert list(cache.rglob("verify-*")), "there are such trees"
    return left(tmp_path)  # what it planted is gone: a tree is made clean again before the next gate


@attack(row("the settings of a repository open ports of this machine to its gates", none=Outcome.PREVENTED))
def test_ports_are_claims(tier: str, project: Project, tmp_path: Path) -> Outcome:
    project.settle(gates=f'test = "touch {tmp_path}/outside"\n\n[sandbox.gates]\nports = [5432]')
    output = typed(project, tier, "run", "Say hello", SHIFTWORK_TRUST="")
    assert "sandbox.gates.ports" in output
    return left(tmp_path)
