"""Attacks on what the harness keeps: its history, its hub, its engine, and the files that it reads first."""

import asyncio
from pathlib import Path

from shiftwork.ports.workspace import Reserved
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.conformance.git_rig import World

COMMONDIR = ".shiftwork/hub.git/commondir"
SPELLED = (".shiftwork/x", ".SHIFTWORK/x", ".shiftwork./x", "SHIFTW~1/x", ".shift\u200cwork/x")


def refused(world: World, name: str) -> bool:
    """Whether a story that has this file does not land."""
    tip = world.user.at("main")
    built = asyncio.run(world.repository.candidate(tip, world.story({name: "../evil\n"}), "work", base=tip))
    return isinstance(built, Reserved) and built.files == (name,)


def settled(held: bool) -> Outcome:  # noqa: FBT001 - the one fact
    return Outcome.PREVENTED if held else Outcome.SUCCEEDED


@attack(
    Attack(
        name="a story lands a `commondir` where the hub once lay",
        layer="state",
        severity=Severity.CRITICAL,
        harm=Harm.EXECUTION,
        seen=1,
    )
)
def test_commondir(tier: str, tmp_path: Path) -> Outcome:
    del tier
    world = World(tmp_path)
    return settled(refused(world, COMMONDIR) and not (world.user.root / ".shiftwork").exists())
