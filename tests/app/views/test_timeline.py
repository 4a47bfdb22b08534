"""When the stories of a run were worked on, checked, waited and landed."""

import asyncio
from collections.abc import Sequence
from typing import Any

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.views.documents.document import to_json
from shiftwork.app.views.feed.timeline_reader import Part, known_facts, nothing_known, read_timeline
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, RunId, StoryId, run_stream
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.landing import facts as landing
from shiftwork.domain.proof.verdict import ProofLevel, ProofReport, ProofStatus
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.story.state import StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.ports.views import Row, WaitedRow
from shiftwork.records import replace
from shiftwork.testing.builders import BASE, LANDING, RUN, asked, gate_report, landing_request, run_plan
from shiftwork.testing.conformance.store_stage import attempt_row, step_row
from tests.app.full_history import account_of
from tests.json_documents import check

REQUEST = f"{RUN}/US-001/1"
STARTED = run_facts.RunStarted(at=0, plan=run_plan(asked(1), asked(2)))


def store_of(facts: Sequence[Fact] = (), queue: Sequence[Fact] = (), rows: Sequence[Row] = ()) -> MemoryStore:
    store = MemoryStore()

    async def write() -> None:
        await store.events.append(run_stream(RUN), (STARTED, *facts), expected=0, key="run", rows=rows)
        await store.events.append(LANDING, queue, expected=0, key="queue")

    asyncio.run(write())
    return store


def read(store: MemoryStore, part: Part, now: float = 100.0) -> dict[str, Any]:
    async def act() -> dict[str, Any]:
        known = await known_facts(store.events, nothing_known(RUN))
        return to_json(await read_timeline(store.queries, known, part, now))

    made = asyncio.run(act())
    check(made)
    return made


def shown(facts: Sequence[Fact] = (), queue: Sequence[Fact] = (), rows: Sequence[Row] = ()) -> dict[str, Any]:
    return read(store_of(facts, queue, rows), Part())


def brief(made: dict[str, Any]) -> list[tuple[object, ...]]:
    return [
        (
            each["kind"],
            each["story"],
            each["slot"],
            each["started_at"][17:19],
            (each["ended_at"] or "")[17:19],
            each["ending"],
        )
        for each in made["segments"]
    ]


def ended(at: float, story: str = "US-001", proof: ProofStatus | None = None) -> Fact:
    return run_facts.StoryEnded(
        at=at,
        story=StoryId(story),
        status=StoryStatus.COMPLETED,
        commit=BASE,
        reason="",
        cause=None,
        usage=NOTHING_USED,
        proof=proof,
    )


def test_a_story_has_the_slot_of_each_of_its_starts() -> None:
    begun = run_facts.StoryDispatched(at=1, story=StoryId("US-001"), slot=1)
    proved = ProofStatus(level=ProofLevel.PROVED)
    facts = (begun, ended(5, proof=proved), replace(begun, at=7, slot=0), ended(8, "US-009"))
    attempts = (
        replace(attempt_row(RUN, "US-001", "step-001", 1), started_at=2.0, ended_at=3.0),
        replace(attempt_row(RUN, "US-001", "step-001", 1), step="step-009", started_at=None, ended_at=9.0, number=2),
        replace(attempt_row(RUN, "US-002", "step-001", 1), started_at=4.0, ended_at=5.0),
    )
    made = shown(facts, rows=(*attempts, step_row(RUN, "US-001", "step-001")))
    ending = attempts[0].ending
    assert brief(made) == [
        ("story", "US-001", 1, "01", "05", "proved"),
        ("attempt", "US-001", 1, "02", "03", ending),
        ("attempt", "US-002", None, "04", "05", ending),
        ("story", "US-001", 0, "07", "", ""),
        ("attempt", "US-001", 0, "09", "09", ending),
    ]
    assert made["slots"] == 2
    assert [each["step_name"] for each in made["segments"] if each["step"] == "step-009"] == ["step-009"]


def test_what_runs_is_open_and_a_repair_is_named() -> None:
    step = replace(step_row(RUN, "US-001", "step-001"), name="repair", status="in_progress", started_at=2.0, attempts=3)
    others = (
        replace(step, step="step-002", kind="human"),
        replace(step, step="step-003", started_at=None),
        replace(step, step="step-004", status="completed"),
    )
    (only,) = shown(rows=(step, *others))["segments"]
    assert (only["repair"], only["attempt"], only["ended_at"]) == (True, 3, None)


def test_waits_are_for_a_person_or_for_a_limit() -> None:
    wait = WaitedRow(run=RUN, story="US-001", number=1, awaited="person", since=1.0, until=2.0)
    made = shown(rows=(wait, replace(wait, number=2, awaited="limit", since=3.0, until=None)))
    assert [line[0] for line in brief(made)] == ["person", "limit"]


def test_gates_run_on_each_candidate_and_again_if_they_are_red_until_the_story_lands() -> None:
    green, red = gate_report(Commit("c")), gate_report(Commit("c"), passed=False)
    built = landing.CandidateBuilt(at=11, request=REQUEST, round=1, base=BASE, commit=Commit("c"))
    proof = ProofReport(commit=Commit("c"), tree="t", policy=ProofPolicy.TRUSTING)
    queue = (
        landing.CandidateVerified(at=9, request=REQUEST, report=green),  # nothing is known of its start
        landing.EntryWithdrawn(at=9, request=REQUEST),
        built,
        landing.CandidateFailed(at=12, request=REQUEST, report=red),
        landing.CandidateVerified(at=14, request=REQUEST, report=green),
        replace(built, at=15),
        landing.CandidateUnproved(at=16, request=REQUEST, report=green, proof=proof, lacking=""),
        replace(built, at=17),
        landing.EntryRefused(at=18, request=REQUEST, cause=Refusal.GATES, detail="", files=(), base=BASE, report=None),
        replace(built, at=20, request="other/US-001/1"),
        replace(built, at=21),
    )
    made = shown(queue=queue)
    assert brief(made) == [
        ("gates", "US-001", None, "11", "12", "failed"),
        ("gates", "US-001", None, "12", "14", "passed"),
        ("gates", "US-001", None, "15", "16", "unproved"),
        ("gates", "US-001", None, "21", "", ""),
    ]
    assert [each["text"] for each in made["segments"][:2]] == [red.results[0].name, green.results[0].name]


def test_a_place_in_the_queue_lasts_until_the_story_lands() -> None:
    story, other = landing_request(1), landing_request(1, 2)
    queue = (
        landing.EntryQueued(at=1, branch="main", request=story),
        landing.EntryQueued(at=2, branch="main", request=other),
        landing.BaseMoved(at=5, requests=("r9/US-001/1", story.key), commit=BASE, ref="main"),
    )
    assert brief(shown(queue=queue)) == [
        ("landing", "US-001", None, "01", "05", "landed"),
        ("landing", "US-002", None, "02", "", ""),
    ]


def test_gates_that_passed_are_not_red_because_an_approval_is_missing() -> None:
    request, proof = landing_request(1), ProofReport(commit=BASE, tree="t", policy=ProofPolicy.TRUSTING)
    due = Refusal.APPROVAL
    queue = (
        landing.EntryQueued(at=1, branch="main", request=request),
        landing.CandidateBuilt(at=2, request=request.key, round=1, base=BASE, commit=Commit("c")),
        landing.CandidateUnproved(
            at=3, request=request.key, report=gate_report(Commit("c")), proof=proof, lacking="", cause=due
        ),
        landing.EntryRefused(at=4, request=request.key, cause=due, detail="", files=(), base=BASE, report=None),
    )
    endings = [(line[0], line[-1]) for line in brief(shown(queue=queue))]
    assert endings == [("landing", "needs approval"), ("gates", "passed")]


def test_an_attempt_that_ends_while_it_is_read_is_listed_once() -> None:
    begun = replace(step_row(RUN, "US-001", "step-001"), status="in_progress", started_at=2.0, attempts=1)
    ended = replace(attempt_row(RUN, "US-001", "step-001", 1), started_at=2.0, ended_at=3.0)
    assert [each["ended_at"][17:19] for each in shown(rows=(begun, ended))["segments"]] == ["03"]


def test_a_part_is_a_time_a_story_or_some_kinds() -> None:
    store = MemoryStore()
    asyncio.run(account_of(store))
    whole = read(store, Part())["segments"]
    assert {each["story"] for each in read(store, Part(story="US-002"))["segments"]} == {"US-002"}
    kinds = frozenset({"story", "gates"})
    assert read(store, Part(kinds=kinds))["segments"] == [each for each in whole if each["kind"] in kinds]
    last = max(row.ended_at for row in asyncio.run(store.queries.attempts(RUN)))
    late = read(store, Part(since=last))["segments"]
    assert 0 < len(late) < len(whole)
    assert all(each["ended_at"] is None or each["ended_at"] >= late[0]["started_at"] for each in late)


def test_a_window_has_what_reaches_into_it() -> None:
    row = replace(attempt_row(RUN, "US-001", "step-001", 1), started_at=2.0, ended_at=5.0)
    later = replace(row, number=2, started_at=6.0, ended_at=9.0)
    queue = [landing.EntryQueued(at=1, branch="main", request=landing_request(1))]
    store = store_of(queue=queue, rows=[row, later])
    windows = [(1.5, 1.9), (3.0, 4.0), (5.0, 6.0), (9.5, 10.0), (0.0, 0.5)]
    found = [read(store, Part(since=since, until=until))["segments"] for since, until in windows]
    assert [[each["attempt"] for each in segments] for segments in found] == [
        [None],
        [None, 1],
        [None, 1, 2],
        [None],
        [],
    ]


def test_an_answer_without_attempts_has_their_totals_up_to_a_time_after_which_more_may_end() -> None:
    row = replace(attempt_row(RUN, "US-001", "step-001", 1), started_at=2.0, ended_at=5.0)
    rows = [
        row,
        replace(row, number=2, started_at=6.0, ended_at=7.0),
        replace(row, number=3, ending="failed", started_at=None, ended_at=8.0),
        replace(row, number=4, started_at=30.0, ended_at=41.0),
        replace(row, story="US-002", ended_at=9.0),
    ]
    store, part = store_of(rows=rows), Part(kinds=frozenset({"story"}))
    made = read(store, part)
    assert made["settled_at"] == "1970-01-01T00:00:40.000Z"
    assert [tuple(each.values()) for each in made["totals"]] == [
        ("US-001", "completed", 2, 4.0, 3.0),
        ("US-001", "failed", 1, 0.0, 0.0),
        ("US-002", "completed", 1, 7.0, 7.0),
    ]
    assert [each["story"] for each in read(store, replace(part, story="US-002"))["totals"]] == ["US-002"]
    assert [each["attempt"] for each in read(store, Part(since=40.0))["segments"]] == [4]
    assert read(store, Part())["totals"] == []


def test_attempts_of_many_stories_have_the_names_of_their_steps() -> None:
    names = [f"US-{number:03}" for number in range(1, 103)]
    rows = [(attempt_row(RUN, name, "step-001", 1), step_row(RUN, name, "step-001")) for name in names]
    segments = shown(rows=[row for pair in rows for row in pair])["segments"]
    assert {each["step_name"] for each in segments} == {step_row(RUN, "US-001", "step-001").name}
    assert len(segments) == len(names)


def test_facts_that_are_read_later_are_added_and_an_unknown_run_has_none() -> None:
    begun = run_facts.StoryDispatched(at=1, story=StoryId("US-001"), slot=1)
    queued = landing.EntryQueued(at=2, branch="main", request=landing_request(1))
    store = store_of((begun,), (queued,))

    async def act() -> None:
        first = await known_facts(store.events, nothing_known(RUN))
        assert await known_facts(store.events, first) == first
        await store.events.append(run_stream(RUN), [ended(5)], expected=2, key="end")
        landed = landing.BaseMoved(at=4, requests=(landing_request(1).key,), commit=BASE, ref="main")
        await store.events.append(LANDING, [landed], expected=1, key="landed")
        later = await known_facts(store.events, first)
        assert later == await known_facts(store.events, nothing_known(RUN))
        assert [(span.kind, span.end) for span in (*later.stays, *later.landings)] == [("story", 5), ("landing", 4)]
        unknown = nothing_known(RunId("r9"))
        assert await known_facts(store.events, unknown) == unknown

    asyncio.run(act())
