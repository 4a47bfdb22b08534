"""Attacks on the hook that judges the message of the commit that lands."""

import asyncio
from pathlib import Path

from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.gates.message_hook import GitCommitHooks
from shiftwork.domain.core.ids import RunId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing.commit_hook import HookUse
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.story.state import HoldCause
from shiftwork.domain.tampering.findings import LaterPolicy
from shiftwork.ports.commit_hooks import CommitHooks
from shiftwork.ports.workspace import Gates
from tests.app.projects import git, make_repository
from tests.app.rig import SHORT, Rig, done
from tests.attacks.gates_rig import sandbox_of
from tests.attacks.state_rig import settled
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.patience import SECONDS

HOOK = ".githooks/commit-msg"


def row(name: str, harm: Harm) -> Attack:
    return Attack(name=name, layer="landing", severity=Severity.MEDIUM, harm=harm)


def hooks_over(gates: Gates) -> CommitHooks:
    assert isinstance(gates, GitGates)
    return GitCommitHooks(gates=gates, use=HookUse.ALWAYS)


def hooked(folder: Path, tier: str) -> Rig:
    """Settings that let a story land changes of hooks, which the usual ones leave out."""
    repo = make_repository(folder)
    git(repo, "config", "core.hooksPath", ".githooks")
    gates = (Gate(name="lint", command="true"),)
    opened = {"commit_hooks": hooks_over, "later_files": LaterPolicy.LAND, "gates": gates}
    return Rig(repo=repo, sandbox=sandbox_of(tier, repo), **opened)  # type: ignore[arg-type]


def with_hook(rig: Rig, script: str) -> None:
    file = rig.repo / HOOK
    file.parent.mkdir()
    file.write_text(f"#!/bin/sh\n{script}\n")
    git(rig.repo, "add", "--chmod=+x", HOOK)
    git(rig.repo, "-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-m", "a hook")


def written(rig: Rig, script: str) -> None:
    """The agent writes this hook, and the settings of two linters beside it."""
    files = {HOOK: f"#!/bin/sh\n{script}\n", ".husky/commit-msg": f"{script}\n", ".gitlint": "", "work.txt": "x\n"}

    rig.script = lambda _: done(write=files)


@attack(row("a story edits the hook that refuses its message", Harm.PROOF))
def test_edited_hook(tmp_path: Path, tier: str) -> Outcome:
    rig = hooked(tmp_path, tier)
    with_hook(rig, "echo 'no ticket'; exit 1")
    written(rig, "exit 0")

    async def scenario() -> HoldCause:
        async with rig.open() as context:
            run = await rig.start(context, one_shot("Add work.txt"), workflow=SHORT)
            return await held(rig, run)

    cause = asyncio.run(scenario())
    return settled(cause is HoldCause.MESSAGE, "work.txt" not in git(rig.repo, "ls-tree", "-r", "--name-only", "main"))


async def held(rig: Rig, run: RunId) -> HoldCause:
    async with asyncio.timeout(SECONDS):
        while (hold := (await rig.story(run)).waiting.hold) is None:
            await asyncio.sleep(0.01)
    return hold.cause


@attack(row("a story adds a hook that words its own commit", Harm.PROOF))
def test_added_hook(tmp_path: Path, tier: str) -> Outcome:
    """It is asked about the stories after it, and not about its own."""
    rig = hooked(tmp_path, tier)
    written(rig, 'sed -i "s/^Shiftwork-Run.*/Shiftwork-Run: r\\/US-999/; s/work/evil/" "$1"')
    asyncio.run(rig.run(one_shot("Add work.txt"), workflow=SHORT))
    message = git(rig.repo, "log", "-1", "--format=%B", "main")
    return settled("feat: Add work.txt" in message, "US-999" not in message)


@attack(row("a story edits the hooks in a folder that only the settings of the clone name", Harm.LATER))
def test_hooks_elsewhere(tmp_path: Path, tier: str) -> Outcome:
    """The user's own git would run them, outside of any sandbox."""
    repo = make_repository(tmp_path)
    git(repo, "config", "core.hooksPath", "tools/hooks")
    rig = Rig(repo=repo, sandbox=sandbox_of(tier, repo), commit_hooks=hooks_over, gates=())
    rig.script = lambda _: done(write={"tools/hooks/post-checkout": "#!/bin/sh\nevil\n", "work.txt": "x\n"})
    asyncio.run(rig.run(one_shot("Add work.txt"), workflow=SHORT))
    landed = git(repo, "ls-tree", "-r", "--name-only", "main")
    return settled("work.txt" in landed, "tools" not in landed)


@attack(row("a hook adds a second origin in a spelling that only git takes for the same", Harm.PROOF))
def test_second_origin(tmp_path: Path, tier: str) -> Outcome:
    rig = hooked(tmp_path, tier)
    with_hook(rig, 'echo "shiftwork-run: r/US-999" >> "$1"')
    rig.script = lambda _: done(write={"work.txt": "x\n"})

    async def scenario() -> HoldCause:
        async with rig.open() as context:
            run = await rig.start(context, one_shot("Add work.txt"), workflow=SHORT)
            return await held(rig, run)

    cause = asyncio.run(scenario())
    return settled(cause is HoldCause.MESSAGE, "US-999" not in git(rig.repo, "log", "--format=%B", "main"))
