"""A limit on the number of sessions: what it lets begin, what it counts, and what is said when none is left."""

from dataclasses import replace

from shiftwork.domain.budget import reservations
from shiftwork.domain.budget.amounts import Amount, Budget, Claim, Ledger, Reached, Whose
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.usage.usage import Usage

US_1, US_2 = StoryId("US-001"), StoryId("US-002")
CODING = Claim(number=1, kind="coding", bounded=True)
ALONE = replace(CODING, bounded=False)
SESSIONS = Limits(run=Budget(sessions=2))


def test_as_many_attempts_begin_together_as_sessions_are_left_whatever_stops_their_agents() -> None:
    ledger = Ledger()
    for story in (US_1, US_2):
        amount = reservations.reservation(ledger, ALONE, SESSIONS)
        assert amount is not None
        ledger = reservations.reserved(reservations.claimed(ledger, story, ALONE), story, amount)
    assert reservations.reservation(ledger, ALONE, SESSIONS) is None
    assert reservations.reservation(reservations.returned(ledger, US_1), ALONE, SESSIONS) is not None
    ended = reservations.settled(reservations.settled(ledger, US_1, None), US_2, Usage(cost_usd=0.0))
    assert reservations.reservation(ended, ALONE, SESSIONS) is None, "a session of unknown usage is a session"
    assert reservations.shortage(ended, ALONE, SESSIONS) == "the run has spent 2 of 2 sessions"
    reached = Reached(whose=Whose.RUN, limit=Budget(sessions=2), spent=Budget(sessions=2))
    assert reservations.reached_by_run(ended, ALONE, SESSIONS) == reached


def test_a_reservation_from_before_sessions_were_counted_is_for_one() -> None:
    before = reservations.reserved(reservations.claimed(Ledger(), US_1, ALONE), US_1, Amount(usd=1.0))
    assert reservations.left(before, Budget(sessions=1)) == Budget(sessions=0)


SMALL = Amount(usd=1.0, tokens=10)


def spent(usd: float) -> Ledger:
    """The books after one attempt."""
    reserved = reservations.reserved(reservations.claimed(Ledger(), US_1, CODING), US_1, SMALL)
    return reservations.settled(reserved, US_1, Usage(input_tokens=1, cost_usd=usd))


def test_the_bound_that_is_too_low_is_named_alone() -> None:
    ledger, limits = spent(0.1), Limits(run=Budget(usd=4.0, tokens=100, sessions=1), attempt=SMALL)
    assert reservations.shortage(ledger, CODING, limits) == "the run has spent 1 of 1 session"
    dear = spent(3.0)
    dearer = replace(limits, run=Budget(usd=4.0, sessions=9))
    assert reservations.shortage(dear, CODING, dearer).startswith("the run has spent 3.00 of 4.00 USD,")
    assert "session" not in reservations.shortage(dear, CODING, dearer)
