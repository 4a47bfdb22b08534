"""For any grouping of attempts, the parts sum to the whole, and unknown usage never counts as zero."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.app.views import amounts
from shiftwork.domain.usage.forecast import Band
from shiftwork.domain.usage.totals import Verdict, by_agent, by_model, merged, one_attempt, total, verdict
from shiftwork.domain.usage.usage import NOTHING_USED, Share, Usage

costs = st.none() | st.integers(0, 400).map(lambda cents: cents / 4)
message = st.none() | st.builds(
    Usage,
    input_tokens=st.integers(0, 10**9),
    output_tokens=st.integers(0, 10**9),
    cached_tokens=st.integers(0, 10**9),
    cost_usd=costs,
    estimated=st.booleans(),
)
attempts = message.map(one_attempt)
shares = st.builds(Share, agent=st.sampled_from(["a", "b", "c"]), model=st.sampled_from(["", "m", "n"]), usage=attempts)
bands = st.builds(Band, low_usd=st.floats(0, 50), high_usd=st.floats(50, 90), known=st.just(3))


@given(st.lists(shares))
def test_the_parts_sum_to_the_whole_however_they_are_grouped(made: list[Share]) -> None:
    whole = total(share.usage for share in made)
    assert total(share.usage for share in merged(made)) == whole
    assert total(by_agent(made).values()) == whole
    assert total(by_model(made).values()) == whole
    assert merged(merged(made)) == merged(made)
    assert whole.attempts == len(made)


@given(st.lists(message))
def test_what_no_one_knows_is_never_counted_as_nothing(made: list[Usage | None]) -> None:
    whole = total(map(one_attempt, made))
    dark = [usage for usage in made if usage is None or usage.cost_usd is None]
    assert whole.unpriced == len(dark)
    assert (whole.cost_usd is None) == (len(dark) == len(made))
    assert (amounts.plain(whole)["cost_usd"] is None) == (len(dark) == len(made))
    assert ("unknown" in amounts.cost(whole)) == bool(dark)
    assert (amounts.cost(whole) == "-") == (not made)


@given(st.lists(message))
def test_tokens_that_no_one_counted_are_no_zero(made: list[Usage | None]) -> None:
    whole = total(map(one_attempt, made))
    silent = [
        usage
        for usage in made
        if usage is None or not (usage.input_tokens or usage.output_tokens or usage.cost_usd == 0)
    ]
    assert whole.uncounted == len(silent)
    assert (amounts.plain(whole)["input_tokens"] is None) == (len(silent) == len(made))
    assert ("unknown" in amounts.tokens(whole)) == bool(silent)
    assert amounts.brief_tokens(whole).startswith("≥") == (0 < len(silent) < len(made))
    assert amounts.brief_total(whole).startswith("≥") == (0 < len(silent) < len(made))


@given(st.lists(attempts, min_size=1))
def test_a_cost_that_follows_from_tokens_is_marked(made: list[Usage]) -> None:
    whole = total(made)
    marked = whole.estimated and whole.cost_usd is not None
    assert ("≈" in amounts.cost(whole)) == ("≈" in amounts.brief_cost(whole)) == marked
    assert ("≥" in amounts.brief_cost(whole)) == bool(whole.unpriced and whole.cost_usd is not None)


@given(bands, attempts, attempts)
def test_a_verdict_that_is_given_stays_true_whatever_comes_to_light(band: Band, known: Usage, later: Usage) -> None:
    early = verdict(band, known, over=False)
    assert early in {Verdict.ABOVE, Verdict.OPEN}
    if early is Verdict.ABOVE:
        assert verdict(band, known + later, over=True) is Verdict.ABOVE
    if known.unpriced:
        assert verdict(band, known, over=True) in {Verdict.ABOVE, Verdict.OPEN}


@pytest.mark.parametrize(
    ("cost", "expected"), [(0.5, Verdict.BELOW), (1.0, Verdict.WITHIN), (2.0, Verdict.WITHIN), (2.1, Verdict.ABOVE)]
)
def test_a_cost_lies_below_within_or_above(cost: float, expected: Verdict) -> None:
    band = Band(low_usd=1.0, high_usd=2.0, known=3)
    assert verdict(band, one_attempt(Usage(cost_usd=cost)), over=True) is expected
    assert verdict(band, NOTHING_USED, over=True) is Verdict.OPEN
