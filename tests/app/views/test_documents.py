"""What programs get of a run: documents that their JSON Schemas describe, in one vocabulary."""

import asyncio
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.folds import RUN as RUN_KIND
from shiftwork.app.runtime.context import GateBegun, Sighting
from shiftwork.app.views.documents import attempt_documents, event_documents, run_documents
from shiftwork.app.views.documents.catalogue import DOCUMENTS
from shiftwork.app.views.documents.document import Document, Json, Time, moment, to_json
from shiftwork.app.views.documents.document_schema import form, schema
from shiftwork.app.views.documents.usage_records import State, state_of
from shiftwork.app.views.documents.vocabulary import MEANINGS
from shiftwork.app.views.live.board import Board
from shiftwork.app.views.report.run_record import record_of
from shiftwork.app.views.run_views import Activity, RunView, StoryActivity, StoryView
from shiftwork.app.views.step_list import present, step_list
from shiftwork.domain.core.ids import StoryId, run_stream, step_id, story_stream
from shiftwork.domain.run.facts import RunStarted
from shiftwork.domain.story import facts as story_facts
from shiftwork.ports.agent import AgentEvent, EventKind
from shiftwork.ports.rows.row_parts import ProofPart, WaitCause, WaitingPart
from shiftwork.ports.views import Owner
from shiftwork.records import replace
from shiftwork.testing.builders import BASE, RUN, asked, assignment, planned, run_plan, workflow
from shiftwork.testing.conformance.store_stage import run_row, step_row, story_row
from tests.app.full_history import account_of
from tests.json_documents import check

ROOT = Path(__file__).parents[3]
OWNER = Owner(executor="e", host="laptop", pid=812, pid_started=0.0)
STORY = story_stream(RUN, StoryId("US-001"))


def checked(document: Document) -> Json:
    made = to_json(document)
    check(made)
    return made


def view(*stories: StoryView, **changes: Any) -> RunView:
    row = replace(run_row("r1"), low_usd=1.0, high_usd=2.0, known=4, max_usd=5.0, undoing="US-9", without_gates="lint")
    known: dict[str, Any] = {"run": row, "activity": Activity.WORKING, "worker": OWNER, "stories": stories}
    return RunView(**known | changes)


def test_a_run_has_times_in_utc_amounts_with_their_unit_and_its_stories() -> None:
    story = StoryView(story=story_row("r1", "US-001"), steps=[step_row("r1", "US-001", "step-002")])
    made = checked(run_documents.run_document(view(story), left_running=2))
    heading = checked(run_documents.run_heading(view(story)))
    assert {**heading, "stories": made["stories"], "left_running": 2} == made
    assert made["schema"] == "shiftwork/run/1"
    assert (made["started_at"], made["ended_at"]) == ("1970-01-01T00:00:01.000Z", None)
    assert (made["estimate"]["low_usd"], made["limits"]["of_run"]["cost_usd"]) == (1.0, 5.0)
    assert (made["worker"]["pid"], made["left_running"], made["without_gates"]) == (812, 2, ["lint"])
    (shown,) = made["stories"]
    assert (shown["step"], shown["step_name"], shown["steps"][0]["state"]) == ("step-002", "coding", "queued")
    ended = view(run=replace(run_row("r1"), status="completed", ended_at=2.0), activity=Activity.OVER, worker=None)
    result = checked(run_documents.result_document(ended, stop="over", exit_code=0))
    assert (result["kind"], result["state"], result["worker"], result["estimate"]) == ("result", "done", None, None)


def test_a_story_says_in_one_line_why_it_failed_and_what_it_asks() -> None:
    said = "gate test failed:\ncollected 3 items\n> assert 180 == 170\nFAILED tests/a.py::test_b - assert 180 == 170"
    asks = WaitingPart(cause=WaitCause.QUESTION, detail="Keep it?", choices=("yes", "no"))
    limited = WaitingPart(cause=WaitCause.RATE_LIMIT, detail="codex", until=9.0)
    rows = [
        replace(story_row("r1", "US-001"), failure=said),
        replace(story_row("r1", "US-002"), failure="no output for 10 min"),
        replace(story_row("r1", "US-003"), waiting=asks),
        replace(story_row("r1", "US-004"), waiting=limited),
    ]
    made = checked(run_documents.run_document(view(*(StoryView(story=row, steps=[]) for row in rows))))["stories"]
    assert [story["failure_line"] for story in made] == [
        "tests/a.py: test_b: AssertionError: assert 180 == 170",
        "",
        "",
        "",
    ]
    assert [story["question"] for story in made] == ["", "", "Keep it?", ""]


def test_lists_have_the_fields_of_what_they_list() -> None:
    story = StoryView(story=replace(story_row("r1", "US-001"), step=""), steps=[])
    waits_for = {"US-001": ("US-000",)}
    other = replace(story, story=story_row("r1", "US-002"))
    (listed,) = checked(run_documents.stories_document(view(story, other), waits_for, only=waits_for))["stories"]
    assert len(run_documents.stories_document(view(story, other), {}).stories) == 2
    lists = [(view(story, other), run_documents.stories_document(view(story, other), waits_for))]
    (of_run,) = checked(run_documents.stories_of_runs_document(lists))["runs"]
    assert (of_run["run"], len(of_run["stories"])) == (view().run.run, 2)
    alone = checked(run_documents.story_document(view(story), story))
    assert {name: listed[name] for name in listed.keys() & alone.keys()} == {
        name: alone[name] for name in listed.keys() & alone.keys()
    }
    assert (listed["waits_for"], listed["step"], alone["steps"]) == (["US-000"], None, [])
    runs = checked(run_documents.runs_document([(run_row("r1"), Activity.WAITING)]))
    assert [run["state"] for run in runs["runs"]] == ["waiting"]


@pytest.mark.parametrize(
    ("status", "changes", "state"),
    [
        ("unclaimed", {}, State.QUEUED),
        ("in_progress", {}, State.WORKING),
        ("in_progress", {"waiting": WaitingPart(cause=WaitCause.QUESTION, detail="which?")}, State.WAITING),
        ("in_progress", {"waiting": WaitingPart(cause=WaitCause.RATE_LIMIT, until=9.0)}, State.LIMITED),
        ("completed", {"proof": ProofPart(level="proved")}, State.PROVED),
        ("completed", {"proof": ProofPart(level="gates only")}, State.LANDED),
        ("completed", {"story": "US-9"}, State.UNDOING),
        ("blocked", {}, State.BLOCKED),
    ],
)
def test_the_state_of_a_story_is_one_of_the_list(status: str, changes: dict[str, Any], state: State) -> None:
    story = StoryView(story=replace(story_row("r1", "US-001"), status=status, **changes), steps=[])
    assert run_documents.story_state(view(story), story) is state


def test_a_story_without_a_process_or_with_a_silent_agent_says_so() -> None:
    story = StoryView(story=story_row("r1", "US-001"), steps=[])
    stopped = view(story, activity=Activity.INTERRUPTED, worker=None)
    assert run_documents.story_state(stopped, story) is State.INTERRUPTED
    silent = replace(story, activity=StoryActivity.STUCK)
    assert run_documents.story_state(view(silent), silent) is State.STUCK
    assert state_of("planned") is State.QUEUED


def test_the_history_of_a_run_has_attempts_steps_and_gates() -> None:
    store = MemoryStore()
    known = asyncio.run(account_of(store))
    attempts = checked(attempt_documents.attempts_document(record_of(known)))["ended_attempts"]
    assert attempts
    assert all(made["run"] == known.run.given.run and made["attempt"] > 0 for made in attempts)
    story = next(item for item in known.stories if item.checks)
    log = checked(attempt_documents.gate_log_document("r1", story.asked.id, story.checks))
    assert [run["gate_results"][0]["duration_seconds"] >= 0 for run in log["gate_runs"]]
    state = asyncio.run(present(store.events, known.run, story.asked.id))
    listed = step_list(known.run, state, (), begun=True)
    document = checked(attempt_documents.steps_document("r1", listed))
    assert [step["step"] for step in document["steps"]] == [line.id for line in listed.steps]
    assert {"coding", "review"} <= {*document["step_types"]}, "what a person can add"
    assert "rebase_resolve" not in document["step_types"], "which only the harness adds"


def test_the_steps_of_a_story_say_which_cannot_be_skipped_and_which_is_last() -> None:
    plan = run_plan(asked(1), steps=workflow(planned("coding"), planned("linting"), planned("final_review")))
    started = RUN_KIND.fold(RUN_KIND.start, [RunStarted(at=1, plan=plan)])
    state = asyncio.run(present(MemoryStore().events, started, asked(1).id))
    document = checked(attempt_documents.steps_document("r1", step_list(started, state, (), begun=False)))
    kinds = {step["name"]: (step["mandatory"], step["last"]) for step in document["steps"]}
    assert kinds == {"coding": (False, False), "linting": (True, False), "final_review": (True, True)}


def test_every_event_has_its_time_run_story_step_and_attempt() -> None:
    board = Board()
    board.see(Sighting(stream=run_stream(RUN), what=RunStarted(at=1, plan=run_plan())))
    begun = story_facts.StepStarted(at=3, step=step_id(1), attempt=1, commit=BASE, log="")
    facts = (
        story_facts.StoryStarted(at=1, assignment=assignment(), steps=(planned("coding"),)),
        story_facts.WorkspacePrepared(at=2, number=1, base=BASE, head=BASE),
        begun,
        AgentEvent(kind=EventKind.TOOL_START, tool="bash", text="ls"),
        GateBegun(at=5.0, gate="test"),
        story_facts.StepRouted(at=6, step=step_id(1), value="yes", target=step_id(1), back=False, feedback=""),
    )
    events = [event_documents.seen(board, Sighting(stream=STORY, what=what), 4.0) for what in facts]
    assert events[0] is None, "programs need not know it"
    made = [checked(event) for event in events if event]
    assert {event["run"] for event in made} == {RUN}
    where = [(event["kind"], event["time"][-6:], event["story"], event["step"], event["attempt"]) for event in made]
    assert where == [
        ("workspace_prepared", "2.000Z", "US-001", None, None),
        ("step_started", "3.000Z", "US-001", "step-001", 1),
        ("agent", "4.000Z", "US-001", "step-001", 1),
        ("gate", "5.000Z", "US-001", None, None),
        ("step_routed", "6.000Z", "US-001", "step-001", 1),
    ]


def test_an_agent_may_report_before_anything_is_known_of_its_story() -> None:
    said = Sighting(stream=STORY, what=AgentEvent(kind=EventKind.TEXT, text="hello"))
    event = event_documents.seen(Board(), said, 4.0)
    assert event
    assert (checked(event)["step"], checked(event)["run"]) == (None, None)


# One vocabulary --------------------------------------------------------------------------------------------------


def fields_of(described: Any) -> Iterator[tuple[str, Any]]:
    for part in (*described.get("anyOf", (described,)), *described.get("$defs", {}).values()):
        yield from part["properties"].items()


def kinds_of(field: Any) -> set[str]:
    """The JSON types of a field without null; of a list, with those of its items."""
    match field:
        case {"anyOf": forms}:
            return {kind for one in forms for kind in kinds_of(one)}
        case {"const": _} | {"enum": _}:
            return {"string"}
        case {"$ref": _}:
            return {"object"}
        case {"type": "array", "items": items}:
            return {f"list of {kind}" for kind in kinds_of(items)}
        case {"type": kind, **rest}:
            kinds = set([kind] if isinstance(kind, str) else kind) - {"null"}
            return {"time"} if "format" in rest else kinds
        case _:
            return set()


def test_a_name_has_one_form_in_all_documents_and_a_meaning() -> None:
    forms: dict[str, set[str]] = {}
    for kind in DOCUMENTS:
        for name, field in fields_of(schema(kind)):
            forms.setdefault(name, set()).update(kinds_of(field))
    assert {name: sorted(kinds) for name, kinds in forms.items() if len(kinds) > 1} == {}
    assert forms.keys() == MEANINGS.keys()
    for name, kinds in forms.items():
        assert (kinds == {"time"}) == (name.endswith("_at") or name in {"time", "until"}), name
        assert kinds == {"number"} or not name.endswith(("_usd", "_seconds")), name


def test_a_type_without_a_form_is_an_error() -> None:
    assert form(typing.Any, {}) == {}
    with pytest.raises(TypeError, match="has no form in JSON"):
        form(set[str], {})


def test_a_moment_is_written_to_the_thousandth() -> None:
    assert moment(1_700_000_000.9996) == Time("2023-11-14T22:13:21.000Z")


def test_the_schemas_and_their_page_are_up_to_date() -> None:
    completed = subprocess.run(
        [sys.executable, "scripts/docs_json.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, f"run scripts/docs_json.py: {completed.stdout}{completed.stderr}"
