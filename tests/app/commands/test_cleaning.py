"""Cleaning up: saves work that has not landed, leaves runs in progress alone, and removes everything else."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.processes.ending.reaper import HostReaper
from shiftwork.adapters.processes.host.host import MARKER_VARIABLE
from shiftwork.adapters.processes.host.process_identity import is_alive, this_owner
from shiftwork.adapters.store.archives import FileArchives
from shiftwork.adapters.workspace.git.git import Identity
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.adapters.workspace.hub.hub_setup import open_hub
from shiftwork.adapters.workspace.hub.leftovers import FolderCaches, GitRemains
from shiftwork.app.commands.gc import ArchiveStores, Cleanup, Sweep, clean
from shiftwork.app.commands.runs import resume_run, wait_for
from shiftwork.app.runtime.context import job_of
from shiftwork.domain.core.ids import Commit, RunId, run_stream
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story import facts as story_facts
from shiftwork.ports.views import Owner
from shiftwork.testing.builders import asked, run_plan
from tests.app.landing.landing_rig import RUN as LANDED_BY
from tests.app.landing.landing_rig import post, work
from tests.app.landing.test_landing_turns import left_running
from tests.app.projects import ENV, git
from tests.app.rig import LANDING, SHORT, Rig, done, honest


@pytest.fixture
def rig(git_rig: Rig) -> Rig:
    """What runs leave on disk is git's in part."""
    return git_rig


WORKED = {"work.txt": "work\n"}


async def cleanup(rig: Rig) -> Cleanup:
    hub = await open_hub(
        root=rig.repo,
        state=state(rig),
        cache=rig.cache,
        identity=Identity(name="Test", email="test@localhost"),
        env=ENV,
    )
    clock = SystemClock()
    return Cleanup(
        events=rig.store.events,
        leases=rig.store.leases,
        remains=GitRemains(hub=hub, attempt_folders=state(rig) / "runs", clock=clock),
        reaper=HostReaper(),
        clock=clock,
        owner=this_owner("cleaner"),
        alive=is_alive,
        gone_caches=FolderCaches(home=rig.cache.parent, gone={"abcdef012345": "/gone"}, clock=clock),
        archive_stores=ArchiveStores(
            queries=rig.store.confined("test"),
            inbox=rig.store.inbox,
            archives=FileArchives(state(rig) / "archive"),
            retention=rig.store.retention,
        ),
        project="test",
    )


def state(rig: Rig) -> Path:
    return rig.state


async def swept(rig: Rig, *, unfinished: bool = False, dry: bool = False) -> Sweep:
    return await clean(await cleanup(rig), unfinished=unfinished, dry=dry)


async def interrupted(rig: Rig, spec: Spec | None = None) -> RunId:
    """A run whose worker has died in the middle of its second step: its workspace stands, with a file in it."""
    rig.script = honest(final_review=[done(pause=60)])
    async with rig.open() as context:
        run = await rig.start(context, spec, workflow=SHORT)
        await rig.at_work("step-002")
        (tree(rig, run) / "half.txt").write_text("half done\n")
    await rig.store.leases.release(run, context.owner)
    await rig.store.leases.acquire(run, dead())
    return run


def dead() -> Owner:
    """A process of this host that is not there: its number is above all that are given."""
    return replace(this_owner("dead"), pid=2**22 + 1)


def tree(rig: Rig, run: RunId, number: int = 1) -> Path:
    return rig.trees / run / f"US-001-{number}"


def files(rig: Rig, folder: str) -> list[str]:
    """All files below a folder of the state."""
    return sorted(str(path.relative_to(state(rig))) for path in (state(rig) / folder).rglob("*") if path.is_file())


def rescued(rig: Rig, bundle: Path, ref: str) -> dict[str, str]:
    """The files of a bundle's ref, fetched as a user would, into a clone that has never seen the hub."""
    clone = rig.repo.parent / "clone"
    git(rig.repo.parent, "clone", "--quiet", str(rig.repo), str(clone))
    git(clone, "fetch", "--quiet", str(bundle), f"{ref}:refs/heads/rescued")
    names = git(clone, "ls-tree", "-r", "--name-only", "rescued").splitlines()
    return {name: git(clone, "show", f"rescued:{name}") for name in names}


def test_pain_10_clean_up_keeps_what_has_not_landed_and_never_touches_the_users_checkout(rig: Rig) -> None:
    """An agent's committed and uncommitted work, and the user's own half-finished work, all survive a clean-up."""

    async def scenario() -> None:
        run = await interrupted(rig)
        (rig.repo / "README").write_text("half an idea\n")
        (rig.repo / "untracked.txt").write_text("mine\n")
        before = (git(rig.repo, "status", "--porcelain"), git(rig.repo, "rev-parse", "HEAD"), git(rig.repo, "branch"))
        sweep = await swept(rig, unfinished=True)
        after = (git(rig.repo, "status", "--porcelain"), git(rig.repo, "rev-parse", "HEAD"), git(rig.repo, "branch"))
        assert after == before
        assert (rig.repo / "README").read_text() == "half an idea\n"
        assert (rig.repo / "untracked.txt").read_text() == "mine\n"
        (cleaned,) = sweep.cleaned
        (bundle,) = cleaned.kept
        kept = rescued(rig, bundle, f"refs/shiftwork/{run}/US-001/left-1")
        assert kept == {"README": "a project", "work.txt": "work", "half.txt": "half done"}
        assert not tree(rig, run).exists()

    asyncio.run(scenario())


def test_pain_11_after_a_clean_up_a_run_has_no_process_no_workspace_no_attempt_folder_and_no_ref(rig: Rig) -> None:
    async def scenario() -> None:
        run = (await rig.run(workflow=SHORT)).given.run
        marked = {**ENV, MARKER_VARIABLE: f"{run}/US-001/step-001/1"}
        stray = await asyncio.create_subprocess_exec("sleep", "600", env=marked, start_new_session=True)
        sweep = await swept(rig)
        assert await asyncio.wait_for(stray.wait(), timeout=60) != 0
        (cleaned,) = sweep.cleaned
        assert (cleaned.run, cleaned.ended, cleaned.kept) == (run, 1, ())
        assert (cleaned.freed.attempt_folders, cleaned.freed.workspaces) == (2, 0)
        assert cleaned.freed.refs > 0
        assert sweep.freed.bytes > 0
        assert await HostReaper().alive(f"{run}/") == 0
        documents = [f"runs/{run}/progress.txt", f"runs/{run}/scratch.md"]
        assert sorted(files(rig, "runs")) == documents, "what it has learnt stays"
        assert not (rig.trees / run).exists()
        for folder in (f"indexes/{run}", f"hub.git/refs/shiftwork/{run}", "bundles"):
            assert files(rig, folder) == []
        assert git(rig.repo, "for-each-ref", "refs/shiftwork") == ""
        assert len(files(rig, f"logs/{run}")) == 2, "logs stay"
        assert (await swept(rig)).cleaned == (), "there is nothing to do twice"

    asyncio.run(scenario())


def test_a_run_that_was_cleaned_up_can_still_be_resumed_and_lands(rig: Rig) -> None:
    async def scenario() -> None:
        run = await interrupted(rig)
        await swept(rig, unfinished=True)
        async with rig.open() as context:
            await resume_run(context, run)
            ended = await asyncio.wait_for(wait_for(context, run), timeout=60)
        assert ended.status is RunStatus.COMPLETED
        assert rig.log() == ["feat: Add work.txt", "start"]
        assert "cleaned up" in [
            fact.reason for fact in await rig.facts(run) if isinstance(fact, story_facts.WorkspaceLost)
        ]
        (cleaned,) = (await swept(rig)).cleaned
        assert len(cleaned.kept) == 1, "the file that nobody has landed"

    asyncio.run(scenario())


def test_an_interrupted_run_stays_unless_all_is_asked_for(rig: Rig) -> None:
    async def scenario() -> None:
        run = await interrupted(rig)
        sweep = await swept(rig)
        assert sweep.cleaned == ()
        assert [(spared.run, "--all" in spared.reason) for spared in sweep.spared] == [(run, True)]
        assert tree(rig, run).exists()

    asyncio.run(scenario())


def test_a_dry_run_reports_the_same_and_changes_nothing(rig: Rig) -> None:
    async def scenario() -> None:
        run = await interrupted(rig)
        before = files(rig, ".")
        sweep = await swept(rig, unfinished=True, dry=True)
        assert files(rig, ".") == before
        assert (sweep.leases, len(await rig.store.leases.holders())) == ((run,), 1)
        (would,) = sweep.cleaned
        (did,) = (await swept(rig, unfinished=True)).cleaned
        assert (would.run, would.freed.workspaces, would.kept) == (run, 1, ())
        assert did.freed == would.freed

    asyncio.run(scenario())


def test_what_somebody_works_on_is_left_alone(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await rig.until(lambda: any(isinstance(sighting.what, story_facts.StepStarted) for sighting in rig.seen))
            sweep = await swept(rig, unfinished=True)
            assert sweep.cleaned == ()
            assert "works on it" in sweep.spared[0].reason
            assert sweep.spared[0].run == run
            assert tree(rig, run).exists()

    asyncio.run(scenario())


class Snatched:
    """Leases whose run another process takes between the check and the takeover."""

    def __init__(self, rig: Rig, thief: Owner) -> None:
        self._leases, self._thief = rig.store.leases, thief
        self.holders, self.renew, self.release = self._leases.holders, self._leases.renew, self._leases.release

    async def acquire(self, resource: str, owner: Owner, *, replacing: Owner | None = None, **_: float) -> object:
        await self._leases.acquire(resource, self._thief)
        return await self._leases.acquire(resource, owner, replacing=replacing)


def test_the_first_to_take_the_run_has_it(rig: Rig) -> None:
    async def scenario() -> None:
        run = await interrupted(rig)
        thief = this_owner("thief")
        quick = replace(await cleanup(rig), leases=Snatched(rig, thief))  # type: ignore[arg-type]  # as far as it is used
        sweep = await clean(quick, unfinished=True)
        assert "works on it" in sweep.spared[0].reason
        assert tree(rig, run).exists()
        assert [lease.owner for lease in await rig.store.leases.holders()] == [thief]

    asyncio.run(scenario())


def test_no_lease_outlives_its_holder(rig: Rig) -> None:
    async def scenario() -> None:
        await rig.run(workflow=SHORT)
        here = this_owner("alive")
        far = replace(here, executor="far", host="elsewhere")
        for name, owner in (("a", here), ("b", dead()), ("c", far)):
            await rig.store.leases.acquire(name, owner)
        assert (await swept(rig)).leases == ("b",)
        assert [lease.resource for lease in await rig.store.leases.holders()] == ["a", "c"]

    asyncio.run(scenario())


@pytest.mark.parametrize("dry", [False, True])
def test_what_a_dead_worker_held_is_released_when_its_gates_are_ended(rig: Rig, *, dry: bool) -> None:
    """The next process to land finds the branch free and looks for no gates: old gates must not run beside its own."""
    rig.gates = (Gate(name="slow", command="sleep 100"),)

    async def scenario() -> None:
        async with rig.open() as context:
            request = await work(context, "A", {"a.txt": "w\n"})
            await post(context, request)
            await context.engine.start(job_of(LANDING))
            await rig.until(
                lambda: any(isinstance(sighting.what, landing_facts.CandidateBuilt) for sighting in rig.seen)
            )
        await rig.store.leases.acquire(LANDING, dead())
        with left_running(f"{LANDED_BY}/A/verify/1.1.1") as orphan:
            sweep = await swept(rig, dry=dry)
            assert sweep.leases == (LANDING,)
            assert (orphan.poll() is None) == dry
        held = [lease.owner for lease in await rig.store.leases.holders()]
        assert held == ([dead()] if dry else [])

    asyncio.run(scenario())


def test_who_takes_the_place_of_a_dead_worker_first_keeps_it(rig: Rig) -> None:
    class Overtaken(Snatched):
        async def acquire(self, resource: str, owner: Owner, *, replacing: Owner | None = None, **_: float) -> object:
            await self._leases.acquire(resource, self._thief, replacing=replacing)
            return await self._leases.acquire(resource, owner, replacing=replacing)

    async def scenario() -> None:
        thief = this_owner("thief")
        await rig.store.leases.acquire(LANDING, dead())
        quick = replace(await cleanup(rig), leases=Overtaken(rig, thief))  # type: ignore[arg-type]  # as far as it is used
        assert (await clean(quick)).leases == ()
        assert [lease.owner for lease in await rig.store.leases.holders()] == [thief]

    asyncio.run(scenario())


def test_a_run_that_the_history_does_not_know_is_left_alone(rig: Rig) -> None:
    async def scenario() -> None:
        (state(rig) / "runs" / "stranger" / "US-001" / "step-001-1").mkdir(parents=True)
        sweep = await swept(rig)
        assert [(spared.run, spared.reason) for spared in sweep.spared] == [("stranger", "it is not in the history")]
        assert (state(rig) / "runs" / "stranger").exists()

    asyncio.run(scenario())


def test_nothing_is_removed_where_it_cannot_be_kept(rig: Rig) -> None:
    async def scenario() -> None:
        run = await interrupted(rig)
        (state(rig) / "bundles").write_text("in the way")
        sweep = await swept(rig, unfinished=True)
        assert sweep.cleaned == ()
        assert "cannot be saved" in sweep.spared[0].reason
        assert (tree(rig, run) / "half.txt").exists()
        assert run not in [lease.resource for lease in await rig.store.leases.holders()]

    asyncio.run(scenario())


def test_the_work_of_a_failed_story_is_kept_when_its_run_is_over(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(final_review=[done(), done()])
        rig.gates = (replace(rig.gates[0], command="false"),)
        run = await rig.run(workflow=SHORT)
        assert run.status is RunStatus.FAILED
        (would,) = (await swept(rig, dry=True)).cleaned
        (cleaned,) = (await swept(rig)).cleaned
        assert cleaned.freed == would.freed, "what keeping it has made is not counted as left by the run"
        (bundle,) = cleaned.kept
        assert rescued(rig, bundle, f"refs/shiftwork/{run.given.run}/US-001/reached")["work.txt"] == "work"

    asyncio.run(scenario())


def test_a_story_that_no_one_has_begun_has_nothing_to_keep(rig: Rig) -> None:
    async def scenario() -> None:
        spec = Spec(title="Two", description="", stories=(asked(1), asked(2, after=(1,))))
        run = await interrupted(rig, spec)
        (cleaned,) = (await swept(rig, unfinished=True)).cleaned
        assert [bundle.name for bundle in cleaned.kept] == ["US-001.bundle"]
        assert await rig.facts(run, "US-002") == []

    asyncio.run(scenario())


@pytest.mark.parametrize("needed", [True, False])
def test_old_merges_are_removed_unless_a_run_builds_upon_them(rig: Rig, *, needed: bool) -> None:
    async def scenario() -> None:
        import os  # noqa: PLC0415 - to make a file look old

        run = await interrupted(rig)
        head = (await rig.story(run)).work.head
        pinned = head if needed else Commit(git(rig.repo, "rev-parse", "HEAD"))
        (await broom_hub(rig)).pin(f"merged/{pinned}", pinned)
        pin = state(rig) / "hub.git" / "refs" / "shiftwork" / "merged" / pinned
        os.utime(pin, (1, 1))
        await swept(rig)
        assert pin.exists() == needed

    asyncio.run(scenario())


async def broom_hub(rig: Rig) -> Hub:
    remains = (await cleanup(rig)).remains
    assert isinstance(remains, GitRemains)
    return remains.hub


@pytest.mark.parametrize("resource", ["theirs", "landing/shop/main", "spec/shop/prd.json"])
def test_what_a_dead_worker_of_another_project_held_is_left_to_that_project(rig: Rig, resource: str) -> None:
    plan = replace(run_plan(asked(1)), run=RunId("theirs"), project="shop")

    async def scenario() -> Sweep:
        started = (run_facts.RunStarted(at=0, plan=plan),)
        await rig.store.events.append(run_stream(plan.run), started, expected=0, key="start")
        await rig.store.leases.acquire(resource, dead())
        return await swept(rig)

    assert not asyncio.run(scenario()).leases
    assert [lease.owner for lease in asyncio.run(rig.store.leases.holders())] == [dead()]


def test_what_a_copied_folder_has_of_the_runs_of_the_original_is_left_alone(rig: Rig) -> None:
    over = asyncio.run(rig.run(workflow=SHORT))

    async def cleaned_by_a_copy() -> Sweep:
        return await clean(replace(await cleanup(rig), project="copy"), unfinished=True)

    sweep = asyncio.run(cleaned_by_a_copy())
    assert not sweep.cleaned
    assert [(spared.run, spared.reason) for spared in sweep.spared] == [
        (over.given.run, "it is a run of another project")
    ]


def test_the_cache_of_a_repository_that_is_gone_goes_after_an_hour_and_its_own_when_nobody_works(rig: Rig) -> None:
    rig.gates = (Gate(name="test", command="true"),)
    asyncio.run(rig.run(workflow=SHORT))
    other, foreign = rig.cache.parent / "abcdef012345", rig.cache.parent / "fedcba543210"
    for folder in (other, foreign):
        folder.mkdir()
        (folder / "file").write_text("something\n")
    assert asyncio.run(swept(rig)).gone == (), "something may just be made there"
    long_ago = SystemClock().now() - 7200
    for folder in (other, foreign):
        os.utime(folder, (long_ago, long_ago))
    shown = asyncio.run(swept(rig, dry=True))
    assert [gone.project for gone in shown.gone] == ["abcdef012345"]
    assert other.exists()
    assert asyncio.run(swept(rig)).freed.bytes >= sum(gone.bytes for gone in shown.gone) > 0
    assert (other.exists(), foreign.exists()) == (False, True)
    assert shown.cached.bytes > 0
    assert asyncio.run(swept(rig, unfinished=True)).cached.bytes == 0
    assert asyncio.run(swept(rig)).cached.bytes == 0
