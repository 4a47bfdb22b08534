"""What every reader of the views must do."""

# ruff: noqa: S101 - suites use assert

import asyncio

import pytest
from hypothesis import given

from shiftwork.domain.core.ids import FRAME
from shiftwork.errors import VersionConflictError
from shiftwork.ports.rows.row_parts import WaitCause, WaitingPart
from shiftwork.ports.views import Owner, Row
from shiftwork.records import replace
from shiftwork.testing.conformance.event_store import fresh_numbers, fresh_stream, notes
from shiftwork.testing.conformance.store_stage import (
    QUICK,
    Handle,
    Handles,
    attempt_row,
    awaited,
    profile_row,
    run_row,
    spent_row,
    step_row,
    story_row,
    texts,
    waited_row,
)


class QueriesConformance:
    """Subclass it and define a fixture `handles`; rows are written through the event store."""

    @pytest.fixture
    def store(self, handles: Handles) -> Handle:
        return handles()

    @awaited
    async def test_an_empty_store_shows_nothing(self, store: Handle) -> None:
        queries = store.queries
        assert not await queries.runs()
        assert await queries.run("r") is None
        assert not await queries.stories("r")
        assert not await queries.steps("r", "s")

    @awaited
    async def test_rows_come_with_their_facts_and_replace_those_of_the_same_identity(self, handles: Handles) -> None:
        store, stream = handles(), fresh_stream()
        first: list[Row] = [run_row("r"), story_row("r", "s"), step_row("r", "s", "step-001")]
        assert await store.events.append(stream, notes("a"), expected=0, key="a", rows=first) == 1
        changed: list[Row] = [
            run_row("r", title="new"),
            story_row("r", "s", title="new"),
            step_row("r", "s", "step-001", notes="n"),
        ]
        # If a row is given twice, the later one counts.
        await store.events.append(stream, notes("b"), expected=1, key="b", rows=[*first, *changed])
        queries = handles().queries
        assert list(await queries.runs()) == changed[:1]
        assert list(await queries.stories("r")) == changed[1:2]
        assert list(await queries.steps("r", "s")) == changed[2:]

    @awaited
    async def test_who_is_confined_to_a_project_finds_nothing_of_another(self, handles: Handles) -> None:
        store = handles()
        owner = Owner(executor="e", host="h", pid=1, pid_started=1.0)
        for run, project in (("ra", "a"), ("rb", "b"), ("rn", "")):
            rows: list[Row] = [
                run_row(run, project=project),
                story_row(run, "s"),
                step_row(run, "s", "step-001"),
                profile_row(run, started_at=1.0),
                spent_row(run, "s", "p"),
                waited_row(run, "s", 1),
                attempt_row(run, "s", "step-001", 1),
            ]
            await store.events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=rows)
            await store.leases.acquire(run, owner)
        confined, every = handles().confined("a"), store.queries
        assert [row.run for row in await confined.runs()] == ["ra"]
        assert [row.run for row in await confined.profiles()] == ["ra"]
        assert (await confined.run("r")) == run_row("ra", project="a"), "other projects do not make it ambiguous"
        for run in ("ra", "rb", "rn"):
            known = run == "ra"
            assert (await confined.run(run) is not None) == known
            assert (await confined.holder(run) is not None) == known
            assert [each.number for each in await confined.attempt_sums(run, 9.0)] == [1] * known
            for asked in (confined.stories, confined.steps, confined.spent, confined.waited, confined.attempts):
                assert [row.run for row in await asked(run)] == [run] * known
        assert {row.run for row in await every.runs()} == {"ra", "rb", "rn"}
        assert not await handles().confined("c").runs()

    @awaited
    async def test_what_was_assigned_is_reported_of_all_runs_the_newest_first(self, store: Handle) -> None:
        rows = [profile_row(f"r{number}", started_at=float(number)) for number in range(3)]
        for row in rows:
            await store.events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=[row])
        again = replace(rows[1], verdict="verified", cost_usd=0.5)
        await store.events.append(fresh_stream(), notes("b"), expected=0, key="b", rows=[again])
        found = [row for row in await store.queries.profiles() if row in {*rows, again}]
        assert found == [rows[2], again, rows[0]]
        assert len(await store.queries.profiles(limit=2)) == 2

    @awaited
    async def test_what_was_spent_is_reported_of_one_run_by_story_profile_and_model(self, store: Handle) -> None:
        names = [
            ("r", "s", "b", ""),
            ("r", "s", "a", "n"),
            ("r", "s", "a", "m"),
            ("r", "o", "c", ""),
            ("q", "s", "a", ""),
        ]
        rows = [spent_row(run, story, agent, model=model) for run, story, agent, model in names]
        await store.events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=rows)
        grown = replace(rows[1], used=replace(rows[1].used, cost_usd=0.5, tries=3, estimated=False))
        await store.events.append(fresh_stream(), notes("b"), expected=0, key="b", rows=[grown])
        assert list(await store.queries.spent("r")) == [rows[3], rows[2], grown, rows[0]]
        assert list(await store.queries.spent("p")) == []

    @awaited
    async def test_waits_are_reported_of_one_run_by_story_in_their_order(self, store: Handle) -> None:
        names = [("r", "s", 2), ("r", "s", 10), ("r", "s", 1), ("r", "o", 1), ("q", "s", 1)]
        rows = [waited_row(run, story, number) for run, story, number in names]
        await store.events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=rows)
        over = replace(rows[1], until=9.5)
        await store.events.append(fresh_stream(), notes("b"), expected=0, key="b", rows=[over])
        assert list(await store.queries.waited("r")) == [rows[3], rows[2], rows[0], over]
        assert list(await store.queries.waited("p")) == []

    @awaited
    async def test_attempts_are_reported_of_one_run_by_story_in_the_order_in_which_they_ended(
        self, store: Handle
    ) -> None:
        names = [("r", "s", "b", 2), ("r", "s", "a", 10), ("r", "s", "c", 1), ("r", "o", "a", 1), ("q", "s", "a", 1)]
        rows = [attempt_row(run, story, step, 1, position=position) for run, story, step, position in names]
        await store.events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=rows)
        known = replace(rows[1], model="m", seconds=1.5, diff="a.diff")
        await store.events.append(fresh_stream(), notes("b"), expected=0, key="b", rows=[known])
        assert list(await store.queries.attempts("r")) == [rows[3], rows[2], rows[0], known]
        assert list(await store.queries.attempts("p")) == []

    @awaited
    async def test_attempts_are_found_by_their_story_and_their_time_and_added_up(self, store: Handle) -> None:
        row = replace(attempt_row("r", "s", "a", 1), started_at=1.0, ended_at=2.0)
        later = replace(row, number=2, position=2, started_at=4.0, ended_at=7.0)
        brief = replace(row, number=3, position=3, ending="failed", started_at=None, ended_at=8.0)
        other, foreign = replace(later, story="o", number=1, position=1), replace(row, run="q")
        rows = [row, later, brief, other, foreign]
        await store.events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=rows)
        queries = store.queries
        assert list(await queries.attempts("r", "s")) == [row, later, brief]
        assert list(await queries.attempts("r", since=7.0)) == [other, later, brief]
        assert list(await queries.attempts("r", since=2.0, until=4.0)) == [other, row, later]
        assert list(await queries.attempts("r", "s", since=2.5, until=7.5)) == [later]
        sums = [
            (each.story, each.ending, each.number, each.seconds, each.longest)
            for each in await queries.attempt_sums("r", 9.0)
        ]
        assert sums == [("o", "completed", 1, 3.0, 3.0), ("s", "completed", 2, 4.0, 3.0), ("s", "failed", 1, 0.0, 0.0)]
        assert [each.number for each in await queries.attempt_sums("r", 7.0)] == [1]
        assert not await queries.attempt_sums("p", 9.0)

    @awaited
    async def test_rows_of_a_conflict_or_a_repetition_are_not_written(self, store: Handle) -> None:
        stream = fresh_stream()
        await store.events.append(stream, notes("a"), expected=0, key="a", rows=[run_row("r", title="old")])
        with pytest.raises(VersionConflictError):
            await store.events.append(stream, notes("b"), expected=0, key="b", rows=[run_row("r", title="conflict")])
        await store.events.append(stream, notes("a"), expected=1, key="a", rows=[run_row("r", title="repeated")])
        assert await store.queries.run("r") == run_row("r", title="old")

    @awaited
    async def test_runs_are_listed_newest_first(self, store: Handle) -> None:
        starts = {"a": 3.0, "b": 1.0, "c": None, "d": 2.0, "e": 3.0}
        rows = [run_row(run, started_at=started) for run, started in starts.items()]
        await store.events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=rows)
        assert [row.run for row in await store.queries.runs()] == ["c", "e", "a", "d", "b"]
        assert [row.run for row in await store.queries.runs(limit=2)] == ["c", "e"]

    @awaited
    async def test_the_unended_among_the_newest_runs_are_listed_newest_first(self, store: Handle) -> None:
        ends = {"a": None, "b": 9.0, "c": None, "d": None}
        rows = [replace(run_row(run, started_at=1.0), ended_at=ended) for run, ended in ends.items()]
        await store.events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=rows)
        assert [row.run for row in await store.queries.runs(unended=True)] == ["d", "c", "a"]
        assert [row.run for row in await store.queries.runs(limit=3, unended=True)] == ["d", "c"]

    @awaited
    async def test_a_run_is_found_by_a_beginning_that_no_other_has(self, store: Handle) -> None:
        rows = [run_row(run) for run in ("abc", "abcd", "abd", "b%c", "bxc", "c_d")]
        await store.events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=rows)
        asked = ("abc", "abcd", "abd", "ab", "b%", "b", "c_", "c", "d", "c_d_")
        found = {beginning: await store.queries.run(beginning) for beginning in asked}
        assert {beginning: row.run for beginning, row in found.items() if row} == {
            "abc": "abc",
            "abcd": "abcd",
            "abd": "abd",
            "b%": "b%c",
            "c_": "c_d",
            "c": "c_d",
        }

    @awaited
    async def test_stories_and_steps_come_in_order_and_of_their_own_alone(self, store: Handle) -> None:
        stories = [story_row("r", f"s{10 - number}", position=number) for number in range(1, 11)]
        steps = [step_row("r", "s1", f"step-{10 - number:03d}", position=number) for number in range(1, 10)]
        others: list[Row] = [story_row("q", "s1"), step_row("r", "s2", "step-001"), step_row("q", "s1", "step-001")]
        others.append(step_row("r", "s1", "step-010", position=-1))  # replaced by an edit
        rows: list[Row] = [*reversed(stories), *reversed(steps), *others]
        await store.events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=rows)
        assert list(await store.queries.stories("r")) == stories
        assert list(await store.queries.steps("r", "s1")) == steps
        assert list(await store.queries.steps("r")) == [*steps, step_row("r", "s2", "step-001")]

    @awaited
    async def test_one_story_is_found_by_its_name_and_some_by_their_status(self, store: Handle) -> None:
        statuses = {"s1": "completed", "s2": "in_progress", "s3": "completed", FRAME: "completed"}
        stories = [
            replace(story_row("p", story, position=place), status=status)
            for place, (story, status) in enumerate(statuses.items())
        ]
        waits = [waited_row("p", "s1", 1), waited_row("p", "s2", 1)]
        rows: list[Row] = [run_row("p"), *stories, *waits, run_row("q"), story_row("q", "s1"), waited_row("q", "s1", 1)]
        await store.events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=rows)
        queries = store.queries
        assert list(await queries.stories("p", story="s2")) == stories[1:2]
        assert not await queries.stories("p", story="s9")
        assert list(await queries.stories("p", status="completed")) == [stories[0], *stories[2:]]
        assert not await queries.stories("p", story="s2", status="completed")
        assert await queries.story_counts("p") == {"completed": 2, "in_progress": 1}, "without the steps of the run"
        assert not await queries.story_counts("z")
        assert list(await queries.waited("p", "s2")) == waits[1:]

    @awaited
    async def test_open_stories_are_found_in_all_runs_that_have_not_ended_long_ago(self, handles: Handles) -> None:
        states = [("r1", None), ("r2", 5.0), ("r3", 9.0)]
        runs = [replace(run_row(run), ended_at=ended, project="p") for run, ended in states]
        named = [("s", "failed"), ("t", "completed"), ("u", "in_progress"), ("v", "paused"), ("w", "unclaimed")]
        stories = [replace(story_row(run.run, story), status=status) for run in runs for story, status in named]
        rows: list[Row] = [*runs, *stories]
        await handles().events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=rows)
        found = await handles().confined("p").open_stories(9.0)
        assert [(row.run, row.story) for row in found] == [(run, story) for run in ("r3", "r1") for story in "suv"]
        assert not await handles().confined("q").open_stories(0.0)

    @awaited
    async def test_who_works_on_a_run_is_who_holds_its_lease(self, store: Handle) -> None:
        owner = Owner(executor="ann", host="here", pid=7, pid_started=1.25)
        assert await store.queries.holder("r") is None
        await store.leases.acquire("r", owner)
        await store.leases.acquire("q", replace(owner, executor="bob"))
        held = await store.queries.holder("r")
        assert held is not None
        assert (held.resource, held.owner) == ("r", owner)
        (_, lease) = await store.leases.holders()
        assert 0 <= held.age <= lease.age < held.age + 60
        await store.leases.release("r", owner)
        assert await store.queries.holder("r") is None

    @awaited
    async def test_a_number_that_no_database_holds_is_shown_as_the_greatest(self, store: Handle) -> None:
        rows = [replace(run_row("great"), max_tokens=10**30), replace(run_row("small"), max_tokens=-(10**30))]
        await store.events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=rows)
        great, small = await store.queries.run("great"), await store.queries.run("small")
        assert great is not None
        assert small is not None
        assert (great.max_tokens, small.max_tokens) == (2**63 - 1, 1 - 2**63)

    @awaited
    async def test_what_a_story_waits_for_is_shown_part_by_part(self, store: Handle) -> None:
        choices = ("yes", 'no, "never"', "[1] maybe: 可", "", "\0\udc80")
        asks = WaitingPart(cause=WaitCause.QUESTION, detail="question: or not?", choices=choices, undelivered="email")
        limited = WaitingPart(cause=WaitCause.RATE_LIMIT, detail="429", until=9.5)
        rows = [replace(story_row("w", f"s{place}"), waiting=part) for place, part in enumerate((asks, limited))]
        await store.events.append(fresh_stream(), notes("a"), expected=0, key="a", rows=rows)
        storable = replace(asks, choices=(*choices[:-1], "\N{REPLACEMENT CHARACTER}?"))
        found = [row.waiting for row in await store.queries.stories("w")]
        assert found == [storable, limited]
        assert found[0].cause is WaitCause.QUESTION

    @QUICK
    @given(text=texts)
    def test_text_is_shown_as_it_is_but_for_what_no_database_holds(self, store: Handle, text: str) -> None:
        async def written(row_text: str) -> str:
            run = f"text-{next(fresh_numbers)}"
            await store.events.append(
                fresh_stream(), notes(row_text), expected=0, key="a", rows=[run_row(run, title=row_text)]
            )
            shown = await store.queries.run(run)
            assert shown is not None
            assert shown == replace(run_row(run), title=shown.title)
            return shown.title

        title = asyncio.run(written(text))
        assert len(title) == len(text)
        strange = [(kept, given) for kept, given in zip(title, text, strict=True) if kept != given]
        assert all(given == "\0" or 0xD800 <= ord(given) <= 0xDFFF for _, given in strange)
        assert "\0" not in title
        title.encode()
