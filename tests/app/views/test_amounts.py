"""How amounts are written: in full, in the cell of a table, and for programs."""

import pytest

from shiftwork.app.views import amounts
from shiftwork.app.views.report import report_costs
from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.domain.budget.reservations import spent_of
from shiftwork.domain.usage.forecast import Band
from shiftwork.domain.usage.totals import one_attempt
from shiftwork.domain.usage.usage import NOTHING_USED, Share, Usage

REPORTED = one_attempt(Usage(input_tokens=12_300, cached_tokens=9_000, output_tokens=450, cost_usd=0.4))
GUESSED = one_attempt(Usage(input_tokens=1_000, output_tokens=20, cost_usd=0.12, estimated=True))
SILENT = one_attempt(None)


@pytest.mark.parametrize(
    ("usd", "said"), [(None, "unknown"), (0.0, "0.00 USD"), (0.0042, "0.0042 USD"), (1.5, "1.50 USD")]
)
def test_an_unknown_cost_is_never_nothing(usd: float | None, said: str) -> None:
    assert amounts.money(usd) == said


@pytest.mark.parametrize(
    ("used", "full", "brief"),
    [
        (NOTHING_USED, "-", "-"),
        (SILENT, "unknown", "unknown"),
        (REPORTED, "0.40 USD", "0.40 USD"),
        (GUESSED, "≈ 0.12 USD", "≈ 0.12 USD"),
        (REPORTED + SILENT, "at least 0.40 USD, 1 attempt unknown", "≥ 0.40 USD"),
        (GUESSED + SILENT + SILENT, "at least ≈ 0.12 USD, 2 attempts unknown", "≥ ≈ 0.12 USD"),
    ],
)
def test_costs(used: Usage, full: str, brief: str) -> None:
    assert (amounts.cost(used), amounts.brief_cost(used)) == (full, brief)


@pytest.mark.parametrize(
    ("used", "full", "brief", "all_of_them"),
    [
        (NOTHING_USED, "-", "-", "-"),
        (SILENT, "unknown", "unknown", "unknown"),
        (REPORTED, "12,300 in (9,000 cached), 450 out", "12.3k/450", "12.8k"),
        (GUESSED, "1,000 in, 20 out", "1.00k/20", "1.02k"),
        (REPORTED + SILENT, "at least 12,300 in (9,000 cached), 450 out, 1 attempt unknown", "≥ 12.3k/450", "≥ 12.8k"),
    ],
)
def test_tokens(used: Usage, full: str, brief: str, all_of_them: str) -> None:
    assert (amounts.tokens(used), amounts.brief_tokens(used), amounts.brief_total(used)) == (full, brief, all_of_them)


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0"), (999, "999"), (1_000, "1.00k"), (123_456, "123k"), (7_654_321, "7.65M"), (5 * 10**12, "5000G")],
)
def test_large_counts_are_reported_in_three_digits(count: int, said: str) -> None:
    assert amounts.brief(count) == said


def test_amounts_leave_out_what_they_are_not_about() -> None:
    assert report_costs.amount(Amount(usd=0.5, tokens=1_200)) == "0.50 USD and 1,200 tokens"
    assert report_costs.amount(Budget(usd=0.5)) == "0.50 USD"
    assert report_costs.amount(Budget(tokens=7)) == "7 tokens"
    assert amounts.band(Band(low_usd=1, high_usd=2, known=1)) == "1.00 to 2.00 USD (from 1 earlier story)"


def test_limits_are_reported_as_far_as_there_are_any() -> None:
    none = Budget()
    assert amounts.limited((none, none, none)) == ""
    some = (Budget(usd=2.0), none, Budget(usd=0.5, tokens=1_200))
    assert amounts.limited(some) == "2.00 USD for the run; 0.50 USD and 1,200 tokens for each step"
    sessions = (Budget(sessions=1, tokens=9), Budget(sessions=30), none)
    assert amounts.limited(sessions) == "9 tokens and 1 session for the run; 30 sessions for each story"


def test_small_sums_are_reported_with_the_digits_they_need() -> None:
    assert amounts.money(0.0016) == "0.0016 USD"
    assert amounts.span(Band(low_usd=0.0061, high_usd=0.0123, known=1)) == "0.0061 to 0.01 USD"
    assert amounts.span(Band(low_usd=0.011, high_usd=0.0144, known=1)) == "about 0.01 USD"
    assert spent_of(Budget(usd=0.001), Usage(cost_usd=0.0016)) == "0.0016 of 0.0010 USD"


def test_programs_get_shares_and_whether_the_forecast_held() -> None:
    shares = [Share(agent="a", model="m", usage=REPORTED), Share(agent="b", model="", usage=SILENT)]
    shared = amounts.shared(shares)
    assert [(item["agent"], item["cost_usd"], item["unpriced"]) for item in shared["agents"]] == [
        ("a", 0.4, 0),
        ("b", None, 1),
    ]
    assert [(item["model"], item["input_tokens"]) for item in shared["models"]] == [("m", 12_300), (None, None)]
    band = Band(low_usd=0.1, high_usd=0.2, known=7)
    assert amounts.estimate(None, REPORTED, over=True) is None
    assert amounts.estimate(band, REPORTED, over=True) == {
        "low_usd": 0.1,
        "high_usd": 0.2,
        "known": 7,
        "verdict": "above",
    }


def test_where_no_one_reported_anything_there_is_nothing_to_list() -> None:
    assert [amounts.is_known(used) for used in (NOTHING_USED, SILENT, REPORTED, REPORTED + SILENT)] == [
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, "-"),
        (-1, "0.0 s"),
        (0.44, "0.4 s"),
        (9.94, "9.9 s"),
        (9.99, "9 s"),
        (59.9, "59 s"),
        (60, "1 min 00 s"),
        (3599, "59 min 59 s"),
        (3600, "1 h 00 min"),
        (90_000, "25 h 00 min"),
    ],
)
def test_durations(seconds: float | None, said: str) -> None:
    assert amounts.duration(seconds) == said
