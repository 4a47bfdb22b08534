"""What a project has learnt and spent, and its landing queues, as pages show them."""

from typing import Any

import pytest

from shiftwork.app.folds import LANDING
from shiftwork.app.views.documents.document import Document, to_json
from shiftwork.app.views.documents.served.landing_document import MOST_LANDINGS, landing_document
from shiftwork.app.views.documents.served.project_records import (
    KnownProfile,
    RecentRuns,
    agents_document,
    costs_document,
    interval,
)
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, Commit
from shiftwork.domain.landing import facts as landing
from shiftwork.domain.landing.state import REVERT, QueueState
from shiftwork.records import replace
from shiftwork.testing.builders import BASE, RUN, gate_report, landing_request
from shiftwork.testing.conformance.store_stage import attempt_row, run_row, spent_row, story_row
from tests.json_documents import check


def shown(document: Document) -> dict[str, Any]:
    made = to_json(document)
    check(made)
    return made


def ended(story: str, status: str) -> Any:
    return replace(story_row("r1", story), status=status)


PAST = RecentRuns(
    runs=[run_row("r1")],
    stories=[
        ended("US-001", "completed"),
        ended("US-002", "failed"),
        ended("US-003", "in_progress"),
        ended("US-004", "cancelled"),
    ],
    spent=[
        spent_row("r1", "US-001", "claude-code", model="opus", cost_usd=2.0),
        spent_row("r1", "US-002", "claude-code", model="opus", cost_usd=1.0),
        spent_row("r1", "US-003", "codex", model="", cost_usd=None),
        spent_row("r1", "US-004", "codex", model="", cost_usd=None),
        spent_row("r1", FRAME, "codex", model="", cost_usd=None),
    ],
    attempts=[
        replace(attempt_row("r1", "US-001", "step-001", 1), agent="codex", ending="reached a limit of the agent"),
        replace(attempt_row("r1", "US-001", "step-001", 2), agent="codex", ending="completed"),
    ],
)


def test_a_profile_has_its_share_of_landed_stories_and_what_one_costs() -> None:
    known = {"claude-code": KnownProfile(use="claude-code", model="opus"), "new": KnownProfile(use="acp", model="")}
    made = shown(agents_document(PAST, "learn", known))
    assert (made["choose"], made["run_count"]) == ("learn", 1)
    first, unused, other = made["agents"]
    assert (first["agent"], first["ended"], first["verified"], first["story_cost_usd"]) == ("claude-code", 2, 1, 3.0)
    assert 0 < first["low_share"] < 0.5 < first["high_share"] < 1
    assert (unused["agent"], unused["use"], unused["model"], unused["low_share"]) == ("new", "acp", None, None)
    assert (other["agent"], other["use"], other["ended"], other["limit_waits"]) == ("codex", "", 0, 1)


@pytest.mark.parametrize(
    ("successes", "tries", "low", "high"), [(0, 4, 0.0, 0.49), (4, 4, 0.51, 1.0), (50, 100, 0.40, 0.60)]
)
def test_an_interval_is_wide_for_few_tries(successes: int, tries: int, low: float, high: float) -> None:
    assert list(interval(successes, tries)) == pytest.approx([low, high], abs=0.01)


def test_costs_are_those_of_runs_profiles_and_models() -> None:
    made = shown(costs_document(PAST.runs, PAST.spent))
    assert [run["run"] for run in made["runs"]] == ["r1"]
    assert next((agent["agent"], agent["cost_usd"]) for agent in made["agents"]) == ("claude-code", 3.0)
    assert {model["model"] for model in made["models"]} == {"opus", None}


def queue(*facts: Fact) -> tuple[QueueState, list[Fact]]:
    return LANDING.fold(LANDING.start, facts), list(facts)


def test_a_queue_says_what_waits_what_is_proved_and_what_has_landed() -> None:
    first, second, third = (landing_request(1, story) for story in (1, 2, 3))
    made = shown(
        landing_document(
            [
                queue(
                    *(landing.EntryQueued(at=1, branch="main", request=each) for each in (first, second, third)),
                    landing.BatchTaken(at=2, number=1, policy=QueueState().policy),
                    landing.CandidateBuilt(at=3, request=first.key, round=1, base=BASE, commit=Commit("c1")),
                    landing.CandidateBuilt(at=3, request=second.key, round=1, base=Commit("c1"), commit=Commit("c2")),
                    landing.CandidateVerified(at=4, request=first.key, report=gate_report(Commit("c1"))),
                )
            ]
        )
    )
    assert [(each["story"], each["progress"]) for each in made["queue"]] == [
        ("US-001", "proved"),
        ("US-002", "proving"),
        ("US-003", "waiting"),
    ]
    assert {each["branch"] for each in made["queue"]} == {"main"}
    assert made["landings"] == []


def test_the_last_landings_and_reverts_come_first() -> None:
    undone = replace(landing_request(1, 1), type=REVERT)
    facts = [
        *(
            landing.BaseMoved(at=number, requests=(f"{RUN}/US-001/{number}",), commit=BASE, ref="main")
            for number in range(1, 30)
        ),
        landing.EntryQueued(at=40, branch="main", request=undone),
        landing.BaseMoved(at=41, requests=(undone.key,), commit=BASE, ref="main"),
    ]
    landings = shown(landing_document([(QueueState(branch="main"), facts)]))["landings"]
    assert len(landings) == MOST_LANDINGS
    assert (landings[0]["revert"], landings[0]["title"], landings[0]["ref"]) == (True, undone.title, "main")
    assert (landings[1]["revert"], landings[1]["title"], landings[1]["request"]) == (False, "", f"{RUN}/US-001/29")
