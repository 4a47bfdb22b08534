"""What to type where a limit is reached: it always leads on."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.app.queries import Pulse, RunView, StoryView
from shiftwork.config.settings import Settings
from shiftwork.domain.model.budget import Amount, Budget, Claim, Ledger
from shiftwork.domain.model.story import Limits
from shiftwork.domain.model.usage import Usage
from shiftwork.domain.model.workflow import DYNAMIC, AgentPlan
from shiftwork.domain.rules import budgets
from shiftwork.entrypoints.cli import limiting
from shiftwork.entrypoints.cli.bounds import Bounds
from shiftwork.errors import UsageError
from shiftwork.testing.store_suite import run_row, story_row


def held(waiting: str) -> RunView:
    """Nobody knows what its attempts have cost."""
    row = replace(story_row("r1", "US-001"), status="in_progress", waiting=waiting, cost_usd=None)
    one = StoryView(story=row, steps=())
    return RunView(run=run_row("r1"), pulse=Pulse.WAITING, worker=None, stories=(one,))


@pytest.mark.parametrize(
    ("waiting", "typed"),
    [
        ("limit: the run has spent 3.00 of 3.00 USD (3.00 USD of it guessed: nobody told)", "--max-cost 6"),
        ("limit: the run has spent 1.00 of 3.00 USD; coding may need 6.75 USD", "--max-cost 8"),
        ("limit: the story has spent at least 1.20 of 1.00 USD", "--max-story-cost 3"),
        ("limit: step-001 coding has spent 9000 of 7000 tokens", "--max-step-tokens 18000"),
        ("limit: the story has spent 100 of 100 tokens", "--max-story-tokens 1000"),
        ("limit: the run has spent 0.00 of 0.20 USD", "--max-cost 1"),
    ],
)
def test_the_limit_that_is_proposed_is_higher_than_the_present_one(waiting: str, typed: str) -> None:
    assert limiting.lifting(held(waiting)) == f"shiftwork resume r1 {typed}"


def test_a_limit_below_what_was_counted_is_refused_though_nobody_told_it() -> None:
    guessed = held("limit: the run has spent 3.00 of 3.00 USD (3.00 USD of it guessed: nobody told)")
    with pytest.raises(UsageError, match=r"3\.00 USD are spent already") as refused:
        limiting.check_raised(guessed, Bounds(max_cost=2.0))
    assert refused.value.hint == "shiftwork resume r1 --max-cost 6"
    limiting.check_raised(guessed, Bounds(max_cost=4.0, max_story_cost=1.0))


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
def test_money_is_limited_only_where_whoever_may_come_to_work_tells_what_it_costs(
    settings: dict[str, Any], who: str
) -> None:
    known = Settings.model_validate(settings)
    with pytest.raises(UsageError, match=rf"{who} \(command\) does not tell what it costs"):
        limiting.check(known, DYNAMIC, Limits(story=Budget(usd=5.0)))
    with pytest.raises(UsageError, match=rf"{who} \(command\) does not tell how many it uses"):
        limiting.check(known, DYNAMIC, Limits(story=Budget(usd=5.0), run=Budget(tokens=9)))
    limiting.check(known, DYNAMIC, Limits())


def test_money_and_tokens_are_limited_together_where_tokens_are_told_and_costs_are_not() -> None:
    known = Settings.model_validate({"agent": {"use": "codex"}})
    limiting.check(known, DYNAMIC, Limits(story=Budget(usd=5.0), run=Budget(tokens=9)))


def test_a_plain_command_tells_nothing_whatever_model_is_named_for_it() -> None:
    known = Settings.model_validate({"agent": {**UNTOLD, "model": "gpt-5.5"}})
    with pytest.raises(UsageError, match="does not tell what it costs"):
        limiting.check(known, DYNAMIC, Limits(run=Budget(usd=5.0)))


def test_a_profile_that_nobody_is_to_call_need_not_tell_what_it_costs() -> None:
    known = Settings.model_validate({"profiles": {"second": UNTOLD}})
    limiting.check(known, DYNAMIC, Limits(run=Budget(usd=5.0)))


def test_the_model_that_a_workflow_names_is_the_one_to_be_priced() -> None:
    known = Settings.model_validate({"agent": {"use": "codex", "model": "gpt-5.5"}})
    named = replace(DYNAMIC, agents=(AgentPlan(id="coder", model="unheard-of"),))
    limiting.check(known, DYNAMIC, Limits(run=Budget(usd=5.0)))
    with pytest.raises(UsageError, match="the price of its model unheard-of is not known"):
        limiting.check(known, named, Limits(run=Budget(usd=5.0)))


@given(st.floats(0.01, 900), st.floats(0, 900), st.integers(1, 9_000_000), st.integers(0, 9_000_000), st.booleans())
def test_whatever_the_books_say_of_a_limit_leads_to_a_higher_one(
    usd: float,
    cost: float,
    tokens: int,
    used: int,
    unknown: bool,  # noqa: FBT001 - drawn
) -> None:
    """The books say it in words alone, and the words are read here."""
    spent = Usage(input_tokens=used, cost_usd=cost, unpriced=unknown, uncounted=unknown)
    for limit, least in ((Budget(usd=usd), max(usd, cost)), (Budget(tokens=tokens), max(tokens, used))):
        *_, typed = limiting.lifting(held(f"limit: the story has spent {budgets.told(limit, spent)}")).split()
        assert float(typed) > round(least, 2)
    ledger = Ledger(spent=Amount(usd=cost, tokens=used), dearest={"coding": Amount(usd=usd, tokens=tokens)})
    claim = Claim(number=1, kind="coding", bounded=True)
    limits = Limits(run=Budget(usd=cost + usd, tokens=used + tokens))
    *_, option, typed = limiting.lifting(held(f"limit: {budgets.shortage(ledger, claim, limits)}")).split()
    assert option == "--max-cost"
    assert float(typed) >= round(cost + usd * budgets.MARGIN, 2) - 0.01


@pytest.mark.parametrize(("use", "told"), [("command", "leave the limit out"), ("codex", "--max-tokens N")])
def test_what_to_do_where_money_cannot_be_limited_would_help(use: str, told: str) -> None:
    """A plain command tells of no tokens either."""
    settings = Settings.model_validate({"agent": {"use": use, "command": "true" if use == "command" else ""}})
    with pytest.raises(UsageError, match="does not tell what it costs") as refused:
        limiting.check(settings, DYNAMIC, Limits(run=Budget(usd=1.0)))
    assert told in refused.value.hint
