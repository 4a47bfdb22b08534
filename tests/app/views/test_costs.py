"""The costs of a run: attempts with their reserved amounts, the estimate, and the proof of what landed."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.commands.forecast import expected, past_costs
from shiftwork.app.views.documents.attempt_documents import attempts_document
from shiftwork.app.views.documents.document import to_json
from shiftwork.app.views.export import export
from shiftwork.app.views.history import Account, account
from shiftwork.app.views.report.run_record import record_of
from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import Criterion, Spec, Story
from shiftwork.domain.story.facts.certificate import StoryCertified
from shiftwork.domain.usage.forecast import Band, Forecast
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, Workflow, catalogue_step
from shiftwork.ports.agent import Ending
from shiftwork.testing.builders import asked
from tests.app.full_history import account_of
from tests.app.reported import document, proof, report
from tests.app.rig import SHORT, Rig, done, honest, story_workflow
from tests.json_documents import check

CHECKED = story_workflow(
    catalogue_step("planning"), catalogue_step("coding"), StepPlan(name="check", type="check", kind=StepKind.GATE)
)
DOLLAR = Usage(input_tokens=1_000, output_tokens=10, cost_usd=1.0)
PLANS = Workflow(
    id="plans",
    version=1,
    steps=(
        StepPlan(name="plan", type="plan", plans=True),
        StepPlan(name="work", type="stories", kind=StepKind.LOOP, body=(catalogue_step("coding"),)),
    ),
)


def band(low: float, high: float) -> Band:
    return Band(low_usd=low, high_usd=high, known=4)


def forecast(low: float, high: float) -> Forecast:
    return Forecast(whole=band(5 * low, 5 * high), usual=band(low, high))


@pytest.fixture(scope="module")
def whole() -> Account:
    return asyncio.run(account_of(MemoryStore()))


@pytest.fixture
def limited(rig: Rig) -> Account:
    """Planned by an agent that was cut short once; coded by an agent that reports no cost; checked by gates."""

    async def scenario() -> Account:
        cut = done(ending=Ending.SPENT, usage=DOLLAR, write={"half.txt": "h"}, model="opus")
        planned = done(usage=replace(DOLLAR, cached_tokens=900), model="opus")
        silent = done(write={"work.txt": "w"}, model="")
        rig.script = honest(planning=[cut, planned], coding=[silent])
        rig.thrifty = frozenset({"scripted"})
        limits = Limits(run=Budget(usd=9.0), attempt=Amount(usd=0.5, tokens=7))
        run = await rig.run(workflow=CHECKED, limits=limits)
        assert run.status is RunStatus.COMPLETED
        return await account(rig.store.events, run.given.run)

    return asyncio.run(scenario())


def foreseeing(whole: Account, forecast: Forecast | None, **changes: Any) -> Account:
    plan = replace(whole.run.given, forecast=forecast)
    return replace(whole, run=replace(whole.run, plan=plan, **changes))


def test_an_attempt_cut_short_and_one_beyond_its_share_are_reported_to_people(limited: Account) -> None:
    text = report(limited)
    assert "| cost | at least 2.00 USD, 1 attempt unknown |" in text
    assert "| tokens | at least 2,000 in (900 cached), 20 out, 1 attempt unknown |" in text
    assert "| beyond the reserved amount | 1 attempt, by up to 0.50 USD: see below |" in text
    assert "| scripted | opus | 2 | 2,000 | 900 | 20 | 2.00 USD |" in text
    assert "| scripted | unknown | 1 | unknown | unknown | unknown | unknown |" in text
    assert "| all |  | 3 | at least 2,000 | at least 900 | at least 20 | at least 2.00 USD, 1 attempt unknown |" in text
    assert "step-001 attempt 1 stopped at its cost limit: 1.00 USD" in text
    assert "- step-001 attempt 1 used 0.50 USD more than the 0.50 USD reserved for it" in text
    assert "cut-short" in text[text.index("### Kept diffs") :]
    assert "| step-001 | 1 | scripted | opus | stopped at its cost limit | " in text
    assert "| step-003 | check | done | 1 | " in text
    assert "| step-003 | 1 |" not in text, "gates use nothing"


def test_and_to_programs(limited: Account, rig: Rig) -> None:
    whole = export(limited, rig.repo)
    (cut,) = [entry for entry in whole["stories"]["US-001"]["history"] if entry["action"] == "step_cancelled"]
    assert (cut["details"]["trouble"], cut["details"]["cost_usd"]) == ("cut_short", 1.0)
    books = whole["account"]
    assert (books["cost_usd"], books["unpriced"], books["tries"], books["uncounted"]) == (2.0, 1, 3, 1)
    assert [(item["agent"], item["cost_usd"]) for item in books["agents"]] == [("scripted", 2.0)]
    assert [(item["model"], item["cost_usd"]) for item in books["models"]] == [("opus", 2.0), (None, None)]
    first, second, third = books["stories"]["US-001"]["attempts"]
    assert first["reserved"] == {"usd": 0.5, "tokens": None, "sessions": None}
    assert first["overshoot"] == {"usd": 0.5, "tokens": 0, "sessions": 0}
    assert (second["reserved"], second["overshoot"]) == ({"usd": 1.5, "tokens": None, "sessions": None}, None)
    assert (third["cost_usd"], third["input_tokens"], third["model"]) == (None, None, None)
    listed = to_json(attempts_document(record_of(limited)))
    check(listed)
    amounts = [(made["reserved"], made["overshoot"]) for made in listed["ended_attempts"][:2]]
    unlimited = {"tokens": None, "sessions": None}
    assert amounts == [
        ({"cost_usd": 0.5, **unlimited}, {"cost_usd": 0.5, "tokens": 0, "sessions": 0}),
        ({"cost_usd": 1.5, **unlimited}, None),
    ]


def test_how_each_attempt_ended_is_reported(whole: Account) -> None:
    books = document(whole)
    assert [item["ended"] for item in books["stories"]["US-002"]["attempts"]] == [
        "interrupted",
        "restarted by its own edit",
        "cancelled (timed_out)",
        "failed (crashed)",
    ]
    assert {item["reserved"] for item in books["stories"]["US-002"]["attempts"]} == {None}
    assert (books["stories"]["US-005"]["tries"], books["stories"]["US-005"]["attempts"]) == (0, [])
    parts = [books["stories"][name] for name in books["stories"]]
    assert books["cost_usd"] == pytest.approx(sum(part["cost_usd"] or 0.0 for part in parts))
    assert books["unpriced"] == sum(part["unpriced"] for part in parts) > 0


def test_where_no_one_has_worked_nothing_was_spent(whole: Account) -> None:
    text = report(replace(whole, stories=whole.stories[-1:]))
    assert "## Spending" not in text
    assert "| cost | - |" in text


@pytest.mark.parametrize(
    ("low", "high", "status", "verdict"),
    [
        (0.1, 0.2, RunStatus.FAILED, "above the estimate"),
        (9.0, 9.5, RunStatus.FAILED, "not fully known yet"),
        (0.1, 0.2, RunStatus.RUNNING, "above the estimate"),
        (0.1, 9.0, RunStatus.RUNNING, "not fully known yet"),
    ],
)
def test_what_was_estimated_is_reported_beside_what_it_came_to(
    whole: Account, low: float, high: float, status: RunStatus, verdict: str
) -> None:
    account = foreseeing(whole, forecast(low, high), status=status)
    text = report(account)
    assert f"| estimated cost | {5 * low:.2f} to {5 * high:.2f} USD (from 4 earlier stories); actual cost " in text
    assert f": {verdict} |" in text
    assert f"| {low:.2f} to {high:.2f} USD | " in text, "of each story"
    books = document(account)
    assert books["estimate"]["verdict"] == ("above" if "above" in verdict else "open")
    assert books["stories"]["US-001"]["estimate"]["low_usd"] == pytest.approx(low)
    assert books["no_estimate"] is None


def test_a_story_whose_whole_cost_is_known_lies_within_or_below(whole: Account) -> None:
    landed = document(foreseeing(whole, forecast(1.0, 9.0)))["stories"]["US-001"]
    assert (landed["unpriced"], landed["estimate"]["verdict"]) == (0, "within")
    cheap = document(foreseeing(whole, forecast(8.0, 9.0)))["stories"]["US-001"]
    assert cheap["estimate"]["verdict"] == "below"
    assert document(foreseeing(whole, forecast(8.0, 9.0)))["stories"]["US-005"]["estimate"]["verdict"] == "open"


def test_where_there_was_no_ground_to_estimate_anything_that_is_said(whole: Account) -> None:
    why = "no estimate: no earlier story in this repository has a known total cost"
    assert f"| estimated cost | {why} |" in report(whole)
    assert (document(whole)["estimate"], document(whole)["no_estimate"]) == (None, why)
    plan = replace(whole.run.given, workflow=PLANS)
    itself = replace(whole, run=replace(whole.run, plan=plan))
    assert "| estimated cost | no estimate: the run plans its own stories |" in report(itself)


def test_only_stories_whose_whole_cost_is_known_are_ground_for_an_estimate(rig: Rig) -> None:
    async def scenario() -> None:
        half = done(usage=replace(DOLLAR, cost_usd=0.25))
        rig.script = honest(coding=[done(usage=DOLLAR, write={"work.txt": "1"})], final_review=[half])
        await rig.run(workflow=SHORT)
        rig.script = honest(coding=[done(usage=DOLLAR, write={"work.txt": "2"})])
        await rig.run(workflow=SHORT)
        rig.script = lambda _: Turn(usage=DOLLAR)
        await rig.run(workflow=SHORT)
        queries = rig.store.queries
        assert await past_costs(queries) == [1.25]
        spec = Spec(title="two", description="", stories=(asked(1), asked(2)))
        usual = Band(low_usd=1.25, high_usd=1.25, known=1)
        left = await expected(queries, spec, SHORT, frozenset({StoryId("US-002")}))
        assert left == Forecast(whole=usual, usual=usual)
        assert await expected(queries, spec, PLANS, frozenset()) is None
        assert await expected(MemoryStore().queries, spec, SHORT, frozenset()) is None

    asyncio.run(scenario())


def test_the_proof_of_what_has_landed_is_reported(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest()
        there = Verification(id="VS-1", kind=VerificationKind.FILE_EXISTS, name="the work", path="work.txt")
        criteria = (Criterion(id="AC-1", text="it *works*"), Criterion(id="VS-1", text="the work"))
        story = Story(id=StoryId("US-001"), title="t", description="d", criteria=criteria, verification=(there,))
        run = await rig.run(Spec(title="t", description="d", stories=(story,)), workflow=SHORT)
        result = await account(rig.store.events, run.given.run)
        text = report(result)
        landed = result.stories[0].state.landed
        assert landed is not None
        assert f"Policy trusting, certificate `{landed.certificate}`." in text
        assert "| AC-1 | it \\*works\\* | missing | - | no evidence was reported |" in text
        assert "| VS-1 | the work | holds | " in text
        assert re.search(r"- gate test passed in [\d.]+ s: `.+`\n", text)
        assert "- verification VS-1 the work passed in " in text
        assert f"passed on `{run.stories[StoryId('US-001')].commit[:10]}` in" in text, "the landed commit's gates"
        proved = document(result)["stories"]["US-001"]["certificate"]
        assert [item["verdict"] for item in proved["criteria"]] == ["missing", "holds"]

    asyncio.run(scenario())


def test_a_story_of_which_nothing_was_asked_has_gates_alone_for_its_proof(rig: Rig) -> None:
    async def scenario() -> None:
        story = Story(id=StoryId("US-001"), title="t", description="d", criteria=())
        run = await rig.run(Spec(title="t", description="d", stories=(story,)), workflow=SHORT)
        result = await account(rig.store.events, run.given.run)
        assert "| criterion |" not in report(result)
        assert "- gate test passed in " in report(result)
        assert export(result, Path("/elsewhere"))["account"]["stories"]["US-001"]["certificate"]["criteria"] == []

    asyncio.run(scenario())


def test_a_certificate_of_before_says_nothing_of_tests_without_the_change(rig: Rig) -> None:
    async def scenario() -> Account:
        run = await rig.run(workflow=SHORT)
        return await account(rig.store.events, run.given.run)

    first = asyncio.run(scenario())
    (completed,) = first.stories
    old = tuple(
        replace(turn, fact=replace(turn.fact, certificate=replace(turn.fact.certificate, fail_to_pass=None)))
        if isinstance(turn.fact, StoryCertified)
        else turn
        for turn in completed.turns
    )
    newer, older = proof(first), proof(replace(first, stories=(replace(completed, turns=old),)))
    assert newer[: len(older)] == older
    assert len(newer) == len(older) + 1


def test_a_certificate_of_an_earlier_landing_is_not_shown_for_a_later_one(rig: Rig) -> None:
    async def scenario() -> Account:
        run = await rig.run(workflow=SHORT)
        return await account(rig.store.events, run.given.run)

    first = asyncio.run(scenario())
    (completed,) = first.stories
    landed = completed.state.landed
    assert landed is not None
    again = replace(completed, state=replace(completed.state, landed=replace(landed, commit=Commit("later"))))
    assert proof(first)
    assert proof(replace(first, stories=(again,))) == []
