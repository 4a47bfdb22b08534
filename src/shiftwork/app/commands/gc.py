"""Cleans up after runs: first saves work that has not landed; skips runs that a process works on."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeGuard

from shiftwork.app.commands.runs import forecast
from shiftwork.app.folds import LANDING, RUN, STORY, load
from shiftwork.app.runtime.landing_lock import end_gates
from shiftwork.app.runtime.leases import taken
from shiftwork.app.runtime.streams import STORY_KIND
from shiftwork.app.views.queries import Liveness
from shiftwork.domain.core.ids import FRAME, Commit, RunId, StoryId, Stream, repository_of, run_stream, story_stream
from shiftwork.domain.run.state import RUN_ENDED, RunState
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import ENDED, LandingStage, StoryState
from shiftwork.errors import LeaseLostError, RepositoryError, StoreError, VersionConflictError
from shiftwork.ports.clock import Clock
from shiftwork.ports.processes import Reaper
from shiftwork.ports.remains import NOTHING, GoneCaches, GoneRepository, Leftover, Remains, Weight
from shiftwork.ports.store import Archive, Archives, EventStore, Fence, Inbox, Leases, Recorded, Retention
from shiftwork.ports.views import Lease, Owner, Queries, Row, RunRow, is_gone
from shiftwork.records import dataclass, replace

_EVERY: Final = 1_000_000
"""More runs than a database has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveStores:
    """What archiving needs besides."""

    queries: Queries
    inbox: Inbox
    archives: Archives
    retention: Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleanup:
    """What cleaning up needs. `owner` is this process; only resources of `project` are changed."""

    events: EventStore
    leases: Leases
    remains: Remains
    reaper: Reaper
    clock: Clock
    owner: Owner
    alive: Liveness
    archive_stores: ArchiveStores
    gone_caches: GoneCaches
    project: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """A cleaned run: the space freed (or to free), the saved work, and how many processes were ended."""

    run: str
    freed: Weight
    kept: tuple[Path, ...] = ()
    ended: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spared:
    """A run that was not cleaned up, and why."""

    run: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The result. `leases` are the resources released from dead workers; `rest` belonged to no single run, and
    `gone` are repositories that are no longer there. `cached` is what stays for the next run.
    """

    cleaned: tuple[Cleaned, ...]
    spared: tuple[Spared, ...]
    leases: tuple[str, ...]
    rest: Weight = NOTHING
    gone: tuple[GoneRepository, ...] = ()
    cached: Weight = NOTHING

    @property
    def freed(self) -> Weight:
        return sum(
            (item.freed for item in self.cleaned), start=self.rest + Weight(bytes=sum(gone.bytes for gone in self.gone))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """A run that has left the database (or would), the number of its facts, and the file that has them now."""

    run: str
    facts: int
    file: str = ""


type Seen = Callable[[Cleaned | Spared | Archived], object]
"""Called as soon as a run is done; `bool` does nothing."""


async def clean(cleanup: Cleanup, *, unfinished: bool = False, dry: bool = False, seen: Seen = bool) -> Sweep:
    """Removes what ended runs have left; with `unfinished`, also the workspaces of runs that no process works on.

    Such a run can still be resumed: it continues from its last commit. If no process works on any run, `unfinished`
    also removes the cached trees and environments. With `dry`, only reports what would be done.
    """
    leases = await _release_dead(cleanup, dry=dry)
    busy = {lease.resource: lease.owner for lease in await cleanup.leases.holders() if lease.resource not in leases}
    done: list[Cleaned | Spared] = []
    needed: set[Commit] = set()
    for run in await cleanup.remains.runs():
        state = await load(cleanup.events, RUN, run_stream(RunId(run)))
        foreign = state.plan is not None and state.plan.project != cleanup.project
        reason = "it is a run of another project" if foreign else _spared(state, busy.get(run), unfinished=unfinished)
        done.append(Spared(run=run, reason=reason) if reason else await _clean(cleanup, state, dry=dry))
        seen(done[-1])
        needed |= await _needed(cleanup, state)
    rest, cached = NOTHING if dry else await cleanup.remains.sweep(needed), await cleanup.remains.cached()
    if unfinished and not busy:
        rest, cached = rest + cached, NOTHING
        if not dry:
            await cleanup.remains.forget_cached()
    return Sweep(
        cleaned=tuple(cleaned for cleaned in done if isinstance(cleaned, Cleaned)),
        spared=tuple(spared for spared in done if isinstance(spared, Spared)),
        leases=leases,
        rest=rest,
        gone=await _forget_gone(cleanup, dry=dry),
        cached=cached,
    )


async def _forget_gone(cleanup: Cleanup, *, dry: bool) -> tuple[GoneRepository, ...]:
    found = tuple(await cleanup.gone_caches.find())
    for gone in found:
        if not dry:
            await cleanup.gone_caches.remove(gone)
    return found


async def _release_dead(cleanup: Cleanup, *, dry: bool) -> tuple[str, ...]:
    """Releases the leases of dead workers."""
    held = [lease for lease in await cleanup.leases.holders() if await _is_own(cleanup, lease.resource)]
    dead = [lease for lease in held if is_gone(lease, alive=cleanup.alive(lease.owner))]
    return tuple([lease.resource for lease in dead if dry or await _release(cleanup, lease)])


async def _is_own(cleanup: Cleanup, resource: str) -> bool:
    """Whether it is a run of the project, or a queue or a spec of its repository. Any project may release a run that
    was never recorded, because its process died before that.
    """
    if "/" in resource:
        return repository_of(Stream(resource)) == cleanup.project
    state = await load(cleanup.events, RUN, run_stream(RunId(resource)))
    return state.plan is None or state.plan.project == cleanup.project


async def _release(cleanup: Cleanup, lease: Lease) -> bool:
    """Takes the lease over before ending the old gates: if the queue were free, another process could start its own
    gates, and they would be ended too. Returns False if another process took the lease first.
    """
    if not await taken(cleanup.leases, lease, cleanup.owner, alive=cleanup.alive(lease.owner)):
        return False
    await end_gates(cleanup.events, cleanup.reaper, Stream(lease.resource))
    await cleanup.leases.release(lease.resource, cleanup.owner)
    return True


def _spared(state: RunState, holder: Owner | None, *, unfinished: bool) -> str:
    if state.plan is None:
        return "it is not in the history"
    if holder is not None:
        return f"{holder} works on it"
    if state.status not in RUN_ENDED and not unfinished:
        return "it is not over: resume or cancel it, or clean up with --all"
    return ""


async def _clean(cleanup: Cleanup, state: RunState, *, dry: bool) -> Cleaned | Spared:
    run, whole = state.given.run, state.status in RUN_ENDED
    if dry:
        return Cleaned(run=run, freed=await cleanup.remains.weigh(run, whole=whole))
    held = await cleanup.leases.acquire(run, cleanup.owner)
    if held is not None:
        return Spared(run=run, reason=f"{held.owner} works on it")
    try:
        ended = await cleanup.reaper.end(f"{run}/")
        # Measured before saving, because saving creates refs that are not leftovers of the run.
        before = await cleanup.remains.weigh(run, whole=whole)
        kept, stories = await _keep(cleanup, state)
        await cleanup.remains.remove(run, stories, whole=whole)
        freed = before - await cleanup.remains.weigh(run, whole=whole)
    except (RepositoryError, OSError) as error:
        return Spared(run=run, reason=f"its unlanded work cannot be saved, or its workspace cannot be removed: {error}")
    finally:
        await cleanup.leases.release(run, cleanup.owner)
    return Cleaned(run=run, freed=freed, kept=kept, ended=ended)


async def _keep(cleanup: Cleanup, state: RunState) -> tuple[tuple[Path, ...], list[StoryId]]:
    """Saves the unlanded work of every story; returns the bundles and the stories that have started."""
    run, kept, begun = state.given.run, [], []
    for story in state.stories:
        stream = story_stream(run, story)
        version = await cleanup.events.version(stream)
        known = await load(cleanup.events, STORY, stream, version)
        if known.assignment is None:
            continue
        held = await cleanup.leases.renew(cleanup.owner)
        landed = known.landing.progress is LandingStage.LANDED
        kept.append(await cleanup.remains.keep(Leftover(run=run, story=story, head=known.work.head, landed=landed)))
        begun.append(story)
        fence = Fence(resource=run, executor=cleanup.owner.executor, epoch=held.get(run, 0))
        await _part(replace(cleanup, events=cleanup.events.under(fence)), known, version)
    return tuple(bundle for bundle in kept if bundle is not None), begun


async def _part(cleanup: Cleanup, known: StoryState, version: int) -> None:
    """Records that the workspace of an unfinished story is removed: when resumed, the story creates another."""
    if known.status in ENDED or not known.work.ready:
        return
    lost = story_facts.WorkspaceLost(at=cleanup.clock.now(), number=known.work.workspace, reason="cleaned up")
    stream, key = story_stream(known.given.run, known.given.story.id), f"cleaned/{known.work.workspace}"
    rows = STORY_KIND.rows_of(known, STORY.evolve(known, lost), (lost,))
    await cleanup.events.append(stream, (lost,), expected=version, key=key, rows=rows)


async def _needed(cleanup: Cleanup, state: RunState) -> set[Commit]:
    """Returns the commits that an unfinished run still needs."""
    if state.plan is None or state.status in RUN_ENDED:
        return set()
    streams = [story_stream(state.plan.run, story) for story in state.stories]
    heads = {(await load(cleanup.events, STORY, stream)).work.head for stream in streams}
    queue = await load(cleanup.events, LANDING, state.plan.landing)
    return heads | {entry.candidate for entry in queue.entries}


# Archiving -----------------------------------------------------------------------------------------------------------


async def archive(
    cleanup: Cleanup, older_than: float, *, dry: bool = False, seen: Seen = bool
) -> tuple[Archived | Spared, ...]:
    """Moves runs that ended more than `older_than` seconds ago from the database to one file each.

    The file is durable and has been read back before anything is removed, so a process may be killed at any moment: the
    next call completes what it began. A run that is in progress, or that an unread request would continue, stays.
    """
    latest = cleanup.clock.now() - older_than
    done: list[Archived | Spared] = []
    for row in await cleanup.archive_stores.queries.runs(limit=_EVERY):
        if _is_old(row, latest) and (item := await _archive(cleanup, RunId(row.run), latest, dry=dry)):
            done.append(item)
            seen(item)
    return tuple(done)


def _is_old(row: RunRow | None, latest: float) -> TypeGuard[RunRow]:
    return row is not None and row.ended_at is not None and row.ended_at <= latest and not row.archived


async def _archive(cleanup: Cleanup, run: RunId, latest: float, *, dry: bool) -> Archived | Spared | None:
    held = await cleanup.leases.acquire(run, cleanup.owner)
    if held is not None:
        return Spared(run=run, reason=f"{held.owner} works on it")
    try:
        return await _moved(cleanup, run, latest, dry=dry)
    except (StoreError, LeaseLostError, VersionConflictError) as error:
        hint = f"; {error.hint}" if error.hint else ""
        return Spared(run=run, reason=f"it cannot be archived: {error}{hint}")
    finally:
        await cleanup.leases.release(run, cleanup.owner)


async def _moved(cleanup: Cleanup, run: RunId, latest: float, *, dry: bool) -> Archived | Spared | None:
    """Reads everything under the lease: since the runs were listed, the run may have continued, or another process may
    have archived it, and then there is nothing to do.
    """
    epochs = await cleanup.leases.renew(cleanup.owner)
    row = await cleanup.archive_stores.queries.run(run)
    if not _is_old(row, latest):
        return None
    if not dry and run in await cleanup.remains.runs():
        return Spared(run=run, reason="its workspaces have not been removed")
    messages = await _messages(cleanup, run)
    if messages is None:
        return Spared(run=run, reason=f"a request waits for it: shiftwork resume {run}")
    content = await _content(cleanup, row)
    if dry:
        return Archived(run=run, facts=len(content.recorded))
    file = cleanup.archive_stores.archives.save(content)
    versions = {recorded.stream: recorded.version for recorded in content.recorded}
    fence = Fence(resource=run, executor=cleanup.owner.executor, epoch=epochs[run])
    await cleanup.archive_stores.retention.remove(replace(row, archived=file), versions, messages, fence)
    return Archived(run=run, facts=len(content.recorded), file=file)


async def _messages(cleanup: Cleanup, run: RunId) -> int | None:
    """The position of the run's last message; None if one that it has not read would change it."""
    stream = run_stream(run)
    known = await load(cleanup.events, RUN, stream)
    unread = await cleanup.archive_stores.inbox.receive(stream, after=known.cursor)
    later = await forecast(cleanup.events, cleanup.archive_stores.inbox, run)
    if replace(later, cursor=known.cursor) != known:
        return None
    return max((message.position for message in unread), default=known.cursor)


async def _content(cleanup: Cleanup, row: RunRow) -> Archive:
    run, queries = RunId(row.run), cleanup.archive_stores.queries
    stories = await queries.stories(run)
    names = dict.fromkeys((FRAME, *(StoryId(story.story) for story in stories)))
    recorded: list[Recorded] = []
    for stream in (run_stream(run), *(story_stream(run, story) for story in names)):
        recorded += await cleanup.events.read(stream)
    rows: list[Row] = [row, *stories, *await queries.steps(run), *await queries.spent(run), *await queries.waited(run)]
    rows += await queries.attempts(run)
    return Archive(run=run, recorded=tuple(recorded), rows=tuple(rows))
