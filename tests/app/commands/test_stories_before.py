"""What earlier runs of a spec decide about its stories, and where they differ from its file."""

import asyncio

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.commands.stories_before import StoriesBefore, settle_spec, stories_before
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, RunId, StoryId, run_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.story.state import StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.ports.specs import Sheet
from shiftwork.records import replace
from shiftwork.testing.builders import asked, run_plan

SOURCE = "prd-json:prd.json"
A, B, C = asked(1), asked(2), asked(3)


def sheet(*stories: Story, done: tuple[Story, ...] = ()) -> Sheet:
    spec = Spec(title="Work", description="What there is to do", stories=stories)
    return Sheet(source=SOURCE, spec=spec, done=frozenset(story.id for story in done))


def ended(story: Story, status: StoryStatus, commit: str = "") -> run_facts.StoryEnded:
    return run_facts.StoryEnded(
        at=2,
        story=story.id,
        status=status,
        commit=Commit(commit),
        base=Commit("base" if commit else ""),
        reason="",
        cause=None,
        usage=NOTHING_USED,
    )


def history_of(run: str, *stories: Story, landed: Story, failed: Story) -> tuple[Fact, ...]:
    """A run in which one story has landed, one has failed, and the others were never started."""
    plan = replace(run_plan(*stories, source=SOURCE, parallel=2), run=RunId(run))
    return (
        run_facts.RunStarted(at=0, plan=plan),
        run_facts.StoryDispatched(at=1, story=landed.id, slot=0),
        run_facts.StoryDispatched(at=1, story=failed.id, slot=1),
        ended(landed, StoryStatus.COMPLETED, f"commit-{run}"),
        ended(failed, StoryStatus.FAILED),
        run_facts.RunEnded(at=3, status=RunStatus.FAILED),
    )


def known(given: Sheet, **histories: tuple[Fact, ...]) -> StoriesBefore:
    """What the runs of these names say, the newest first."""
    store = MemoryStore()

    async def scenario() -> StoriesBefore:
        for run, facts in histories.items():
            await store.events.append(run_stream(RunId(run)), facts, expected=0, key="all", rows=())
        return await stories_before(store.events, histories, given, "")

    return asyncio.run(scenario())


def named(found: tuple[tuple[RunState, StoryId], ...]) -> list[tuple[str, str]]:
    return [(run.given.run, story) for run, story in found]


def test_the_newest_run_that_knows_a_story_speaks_for_it() -> None:
    before = known(
        sheet(A, B, C),
        new=history_of("new", A, B, landed=B, failed=A),
        old=history_of("old", A, B, C, landed=A, failed=B),
    )
    assert named(before.landed) == [("new", B.id)]
    assert named(before.failed) == [("new", A.id), ("old", C.id)]
    assert [(branch, [work.commit for work in works]) for branch, works in before.landed_works.items()] == [
        ("main", ["commit-new"])
    ]


def test_a_story_with_another_text_or_of_another_spec_is_another_story() -> None:
    history = history_of("r", A, B, landed=A, failed=B)
    assert named(known(sheet(replace(A, title="Another"), B), r=history).landed) == []
    assert known(replace(sheet(A, B), source="prd-json:other.json"), r=history) == StoriesBefore()
    assert known(sheet(A, B), r=history[:-1]) == StoriesBefore(), "that run is not over"
    assert known(sheet(A, B), r=()) == StoriesBefore(), "and that one is archived"
    assert known(sheet(), r=history) == StoriesBefore()


def test_a_run_that_took_over_a_mark_knows_nothing_itself() -> None:
    plan = replace(run_plan(A, source=SOURCE), run=RunId("r"))
    adopted = (
        run_facts.RunStarted(at=0, plan=plan),
        run_facts.StoryAdopted(at=0, story=A.id),
        run_facts.RunEnded(at=1, status=RunStatus.COMPLETED),
    )
    assert known(sheet(A), r=adopted) == StoriesBefore()


def test_only_the_newest_runs_are_looked_at() -> None:
    empty: dict[str, tuple[Fact, ...]] = {f"r{number}": () for number in range(20)}
    assert known(sheet(A, B), **empty, last=history_of("last", A, B, landed=A, failed=B)) == StoriesBefore()


def test_where_history_and_file_differ_the_history_decides_and_it_is_said() -> None:
    before = known(sheet(A, B), r=history_of("r", A, B, landed=A, failed=B))
    found = settle_spec(sheet(A, B, done=(B,)), before, frozenset(), "main")
    assert found.sheet.done == {A.id}
    unmarked, marked = found.remarks
    assert unmarked.startswith("US-001 has landed in run r, although prd.json does not mark it; to work on it again:")
    assert marked.startswith("US-002 is worked on: prd.json marks it as done, but run r has not landed it;")
    elsewhere = settle_spec(sheet(A, B), before, frozenset(), "other")
    assert (elsewhere.sheet.done, elsewhere.remarks) == (frozenset(), ())
    agreed = settle_spec(sheet(A, B, done=(A,)), before, frozenset(), "main")
    assert (agreed.sheet.done, agreed.remarks) == (frozenset({A.id}), ())


def test_what_the_branch_no_longer_has_is_not_worked_on_by_itself() -> None:
    before = known(sheet(A, B), r=history_of("r", A, B, landed=A, failed=B))
    found = settle_spec(sheet(A, B), before, frozenset({"commit-r"}), "main")
    assert (found.sheet.done, found.missing) == (frozenset({A.id}), frozenset({A.id}))
    assert found.remarks == (
        "US-001 has landed, but is no longer found on main; to land it again: shiftwork retry US-001 --run r",
    )
