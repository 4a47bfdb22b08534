"""Attacks by the names of files that a setup command makes: git ignores these, and must not ignore other work."""

import asyncio
from pathlib import Path

from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import Shell
from shiftwork.adapters.workspace.tree.workspaces import GitWorkspaces
from shiftwork.domain.gates.gate import Gate
from tests.attacks.state_rig import settled
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.conformance.workspace.gates.gates_rig import MARKER
from tests.conformance.workspace.git.git_rig import GitRig

MANIFEST = "[project]\nname = 'a'\nversion = '{}'\n"
SETUP = "if test -f made; then mkdir -p $(cat made) && echo x > $(cat made)/x; fi"


@attack(
    Attack(
        name="the setup of one story makes a folder in which later stories work, so that git ignores their files",
        layer="files",
        severity=Severity.HIGH,
        harm=Harm.PROOF,
    )
)
def test_name_of_an_environment(tmp_path: Path) -> Outcome:
    rig = GitRig(tmp_path)
    rig.land({"pyproject.toml": MANIFEST.format(1)})
    base = rig.tip()
    setup = Setup(shell=Shell(env=rig.user.env), command=SETUP, minutes=1)
    hostile = rig.story({"pyproject.toml": MANIFEST.format(2), "made": "feature"}, base)
    gate = Gate(name="test", command="test -f feature/x")
    report = asyncio.run(GitGates(hub=rig.hub, setup=setup).check(hostile, [gate], MARKER, base=base))
    assert [result.passed for result in report.results] == [True], report
    rig.workspaces = GitWorkspaces(hub=rig.hub, setup=setup)
    later = rig.story({"feature/new.py": "work\n"}, base)
    listed = asyncio.run(rig.hub.git.run("ls-tree", "-r", "--name-only", later)).text
    return settled("feature/new.py" in listed.splitlines())
