"""Before a run it is said by about how much one attempt may pass a limit that is smaller than its first reservation."""

import pytest

from shiftwork.app.commands.forecast import excess_note
from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.domain.budget.limits import Limits

SMALL = Limits(run=Budget(usd=0.05))


@pytest.mark.parametrize("limits", [Limits(), Limits(run=Budget(usd=2.0)), Limits(run=Budget(tokens=5))])
def test_a_limit_that_one_attempt_does_not_pass_is_not_mentioned(limits: Limits) -> None:
    assert not excess_note(limits, bounded=True)


def test_an_agent_with_a_cap_may_pass_it_by_an_answer_and_another_by_what_it_needs() -> None:
    capped, free = excess_note(SMALL, bounded=True), excess_note(SMALL, bounded=False)
    assert capped == (
        "the limit of 0.05 USD is less than one attempt may need (2.00 USD): an attempt may pass it by about 0.05 USD, "
        "because it checks its costs after each answer"
    )
    assert free.endswith("an attempt may pass it by about 1.95 USD, because its agent cannot be stopped at a limit")


def test_the_smallest_limit_counts() -> None:
    limits = Limits(run=Budget(usd=5), story=Budget(usd=1), step=Budget(usd=0.5), attempt=Amount(usd=0.7))
    assert excess_note(limits, bounded=True).startswith("the limit of 0.50 USD is less than one attempt may need (0.70")
