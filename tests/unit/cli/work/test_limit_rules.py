"""The command that is suggested when a limit is reached always lets the run continue."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.app.runtime.story_projection import story_rows
from shiftwork.app.views.run_views import Activity, RunView, StoryView
from shiftwork.config.settings.sections import LimitSettings
from shiftwork.config.settings.settings import Settings
from shiftwork.domain.budget import reservations
from shiftwork.domain.budget.amounts import Amount, Budget, Claim, Ledger, Reached, Whose
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.story.spending import allowance
from shiftwork.domain.story.state import Hold, HoldCause
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.workflow import DYNAMIC, AgentPlan
from shiftwork.entrypoints.cli.options.limits import Bounds
from shiftwork.entrypoints.cli.work import limit_rules
from shiftwork.errors import UsageError
from shiftwork.ports.views import StoryRow
from shiftwork.testing.builders import started_story
from shiftwork.testing.conformance.store_stage import run_row

NOTHING = Budget()


def held(reached: Reached | None) -> RunView:
    """The cost of its attempts is unknown, and the detail for the user does not mention a cost."""
    story = replace(
        made := started_story("coding"),
        waiting=replace(made.waiting, hold=Hold(cause=HoldCause.LIMIT, detail="told", reached=reached)),
    )
    row = next(row for row in story_rows(story, story) if isinstance(row, StoryRow))
    view = StoryView(story=row, steps=())
    return RunView(run=run_row("r1"), activity=Activity.WAITING, worker=None, stories=(view,))


def at(whose: Whose, limit: Budget, spent: Budget, needed: Budget = NOTHING) -> Reached:
    return Reached(whose=whose, limit=limit, spent=spent, needed=needed)


@pytest.mark.parametrize(
    ("reached", "typed"),
    [
        (at(Whose.RUN, Budget(usd=3.0), Budget(usd=3.0)), "--max-cost 6"),
        (at(Whose.RUN, Budget(usd=3.0), Budget(usd=1.0), Budget(usd=6.75)), "--max-cost 8"),
        (at(Whose.STORY, Budget(usd=1.0), Budget(usd=1.2)), "--max-story-cost 3"),
        (at(Whose.STEP, Budget(tokens=7000), Budget(tokens=9000)), "--max-step-tokens 18000"),
        (at(Whose.STORY, Budget(tokens=100), Budget(tokens=100)), "--max-story-tokens 1000"),
        (at(Whose.RUN, Budget(usd=0.2), Budget(usd=0.0)), "--max-cost 1"),
        (at(Whose.RUN, Budget(sessions=3), Budget(sessions=3)), "--max-sessions 6"),
        (at(Whose.STORY, Budget(sessions=1), Budget(sessions=1)), "--max-story-sessions 2"),
        (at(Whose.RUN, Budget(usd=1.0), Budget(usd=sum([0.1] * 3) * 10 / 3)), "--max-cost 2"),
        (
            at(Whose.RUN, Budget(usd=4.0, tokens=100), Budget(usd=4.0, tokens=5000)),
            "--max-cost 8 --max-tokens 10000",
        ),
        (None, "--help"),
    ],
)
def test_the_limit_that_is_proposed_is_higher_than_the_present_one(reached: Reached | None, typed: str) -> None:
    assert limit_rules.lifting(held(reached)) == f"shiftwork resume r1 {typed}"


def test_a_number_of_sessions_that_has_been_used_is_refused() -> None:
    waiting = held(at(Whose.RUN, Budget(sessions=3), Budget(sessions=3)))
    with pytest.raises(UsageError, match="already spent: 3 sessions, so a limit of 2 sessions") as refused:
        limit_rules.check_raised(waiting, Bounds(max_sessions=2))
    assert refused.value.hint == "shiftwork resume r1 --max-sessions 6"


def test_limits_of_a_spec_hold_where_the_user_names_none() -> None:
    spec = Limits(run=Budget(sessions=10), story=Budget(sessions=3))
    assert limit_rules.limits(LimitSettings(), Bounds(), spec).run == Budget(sessions=10)
    chosen = limit_rules.limits(LimitSettings(run_sessions=20), Bounds(max_story_sessions=5), spec)
    assert (chosen.run, chosen.story) == (Budget(sessions=20), Budget(sessions=5))
    limit_rules.check(Settings.model_validate({"agent": {"use": "command"}}), DYNAMIC, chosen)


def test_a_limit_below_what_was_counted_is_refused_though_no_one_reported_it() -> None:
    guessed = held(at(Whose.RUN, Budget(usd=3.0), Budget(usd=3.0)))
    with pytest.raises(UsageError, match=r"already spent: 3\.00 USD") as refused:
        limit_rules.check_raised(guessed, Bounds(max_cost=2.0))
    assert refused.value.hint == "shiftwork resume r1 --max-cost 6"
    limit_rules.check_raised(guessed, Bounds(max_cost=4.0, max_story_cost=1.0))
    limit_rules.check_raised(held(None), Bounds(max_cost=2.0))


UNTOLD = {"use": "command", "command": "x"}


@pytest.mark.parametrize(
    ("settings", "who"),
    [
        ({"agent": {"fallback": ["second"]}, "profiles": {"second": UNTOLD}}, "second"),
        ({"agent": {"choose": "learn"}, "profiles": {"second": UNTOLD}}, "second"),
        ({"proof": {"escalate": "second"}, "profiles": {"second": UNTOLD}}, "second"),
        (
            {
                "proof": {"escalate": "second"},
                "profiles": {"second": {"use": "claude-code", "fallback": ["third"]}, "third": UNTOLD},
            },
            "third",
        ),
        ({"agent": UNTOLD}, "command"),
    ],
    ids=["goes on in its place", "could be chosen", "repairs", "goes on for who repairs", "the run's own"],
)
def test_money_is_limited_only_where_every_profile_that_may_come_to_work_reports_what_it_costs(
    settings: dict[str, Any], who: str
) -> None:
    known = Settings.model_validate(settings)
    with pytest.raises(UsageError, match=rf"{who} \(command\) does not report what it costs"):
        limit_rules.check(known, DYNAMIC, Limits(story=Budget(usd=5.0)))
    with pytest.raises(UsageError, match=rf"{who} \(command\) does not report how many it uses"):
        limit_rules.check(known, DYNAMIC, Limits(story=Budget(usd=5.0), run=Budget(tokens=9)))
    limit_rules.check(known, DYNAMIC, Limits())


def test_money_and_tokens_are_limited_together_where_tokens_are_reported_and_costs_are_not() -> None:
    known = Settings.model_validate({"agent": {"use": "codex"}})
    limit_rules.check(known, DYNAMIC, Limits(story=Budget(usd=5.0), run=Budget(tokens=9)))


def test_a_plain_command_reports_nothing_whatever_model_is_named_for_it() -> None:
    known = Settings.model_validate({"agent": {**UNTOLD, "model": "gpt-5.5"}})
    with pytest.raises(UsageError, match="does not report what it costs"):
        limit_rules.check(known, DYNAMIC, Limits(run=Budget(usd=5.0)))


def test_a_profile_that_no_one_is_to_call_need_not_report_what_it_costs() -> None:
    known = Settings.model_validate({"profiles": {"second": UNTOLD}})
    limit_rules.check(known, DYNAMIC, Limits(run=Budget(usd=5.0)))


def test_the_model_that_a_workflow_names_is_the_one_to_be_priced() -> None:
    known = Settings.model_validate({"agent": {"use": "codex", "model": "gpt-5.5"}})
    named = replace(DYNAMIC, agents=(AgentPlan(id="coder", model="unheard-of"),))
    limit_rules.check(known, DYNAMIC, Limits(run=Budget(usd=5.0)))
    with pytest.raises(UsageError, match="the price of its model unheard-of is not known"):
        limit_rules.check(known, named, Limits(run=Budget(usd=5.0)))


@given(st.floats(0.01, 900), st.floats(0, 900), st.integers(1, 9_000_000), st.integers(0, 9_000_000))
def test_whatever_the_accounts_say_of_a_limit_leads_to_a_higher_one(
    usd: float, cost: float, tokens: int, used: int
) -> None:
    story = replace(
        made := started_story("coding"), spending=replace(made.spending, usage=Usage(input_tokens=used, cost_usd=cost))
    )
    step = story.pipeline.steps[0]
    for limit, least in ((Budget(usd=usd), max(usd, cost)), (Budget(tokens=tokens), max(tokens, used))):
        if hold := allowance.limit_reached(
            replace(story, spending=replace(story.spending, limits=Limits(story=limit))), step
        ):
            *_, typed = limit_rules.lifting(held(hold.reached)).split()
            assert float(typed) > least
    ledger = Ledger(spent=Amount(usd=cost, tokens=used), dearest={"coding": Amount(usd=usd, tokens=tokens)})
    claim = Claim(number=1, kind="coding", bounded=True)
    limits = Limits(run=Budget(usd=cost + usd, tokens=used + tokens))
    typed_usd, typed_tokens = _typed(limit_rules.lifting(held(reservations.reached_by_run(ledger, claim, limits))))
    assert typed_usd >= cost + usd * reservations.MARGIN - 1e-6
    assert typed_tokens is None or typed_tokens >= used + int(tokens * reservations.MARGIN)


def _typed(command: str) -> tuple[float, float | None]:
    match command.split():
        case [_, _, _, "--max-cost", usd, "--max-tokens", tokens]:
            return float(usd), float(tokens)
        case [_, _, _, "--max-cost", usd]:
            return float(usd), None
        case _:
            raise AssertionError(command)


@pytest.mark.parametrize(("use", "message"), [("command", "leave the limit out"), ("codex", "--max-tokens N")])
def test_what_to_do_where_money_cannot_be_limited_would_help(use: str, message: str) -> None:
    """A plain command does not report tokens either."""
    settings = Settings.model_validate({"agent": {"use": use, "command": "true" if use == "command" else ""}})
    with pytest.raises(UsageError, match="does not report what it costs") as refused:
        limit_rules.check(settings, DYNAMIC, Limits(run=Budget(usd=1.0)))
    assert message in refused.value.hint
