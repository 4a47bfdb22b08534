"""Attacks by text: an agent's plan is written into commits, where people and programs read it again."""

import asyncio
from dataclasses import replace
from pathlib import Path

from shiftwork.adapters.workspace.git.evidence_reader import GitCommitInspector
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.landing.commit_message import message_of, revert_of
from shiftwork.ports.workspace import Candidate, Moved
from shiftwork.testing.builders import landing_request
from tests.attacks.state_rig import settled
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.conformance.workspace.git.git_rig import GitRig


@attack(
    Attack(
        name="a planned story says that it reverts another, so that the proof of that one no longer holds",
        layer="reports",
        severity=Severity.LOW,
        harm=Harm.PROOF,
    )
)
def test_planned_revert(tmp_path: Path) -> Outcome:
    rig = GitRig(tmp_path)
    proven = rig.tip()

    async def landed() -> Commit:
        request = replace(landing_request(), body=f"Make it quicker.\n{revert_of(proven)}")
        tip = await asyncio.to_thread(rig.story, {"quick.txt": "quick\n"}, proven)
        candidate = await rig.repository.candidate(proven, tip, message_of(request))
        assert isinstance(candidate, Candidate), candidate
        assert await rig.repository.move("main", candidate) == Moved(ref="main")
        return await GitCommitInspector(hub=rig.hub).revert_of(proven, "main")

    return settled(asyncio.run(landed()) == "")
