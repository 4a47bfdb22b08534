"""Whether a run came to more or less than its estimate, in the amounts that a reader sees."""

import pytest

from shiftwork.domain.usage.forecast import Band
from shiftwork.domain.usage.totals import Verdict, verdict
from shiftwork.domain.usage.usage import Usage


@pytest.mark.parametrize(
    ("cost", "found"),
    [(0.2649, Verdict.WITHIN), (0.2551, Verdict.WITHIN), (0.2651, Verdict.ABOVE), (0.2549, Verdict.BELOW)],
)
def test_an_amount_is_not_above_or_below_itself(cost: float, found: Verdict) -> None:
    band = Band(low_usd=0.26, high_usd=0.26, known=4)
    assert verdict(band, Usage(cost_usd=cost, attempts=1), over=True) is found


def test_amounts_below_a_cent_have_more_digits() -> None:
    assert verdict(Band(low_usd=0.001, high_usd=0.001, known=4), Usage(cost_usd=0.002), over=True) is Verdict.ABOVE
