"""With random concurrent reservations and settlements, a run exceeds its limit by at most one attempt's overshoot."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from shiftwork.domain.budget import reservations
from shiftwork.domain.budget.amounts import Amount, Budget, Claim, Ledger
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.usage.usage import Usage

STORIES = [StoryId(f"US-{number:03}") for number in range(1, 6)]
KINDS = ("planning", "coding", "review")
SLACK = 1e-6
"""Sums of cents are not exact."""

budget = st.builds(
    Budget,
    usd=st.none() | st.integers(0, 2000).map(lambda cents: cents / 100),
    tokens=st.none() | st.integers(0, 20_000),
    sessions=st.none() | st.integers(0, 6),
)
amount = st.builds(Amount, usd=st.integers(1, 500).map(lambda cents: cents / 100), tokens=st.integers(1, 5_000))


@dataclass(slots=True)
class Worst:
    """The largest overshoot of any one attempt so far, kept here by the test's own books."""

    usd: float = 0.0
    tokens: int = 0
    used: list[Amount] = field(default_factory=list)


class Books(RuleBasedStateMachine):
    """Stories claim, the run reserves, attempts end with less or more usage than reserved, or unknown usage."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger, self.limits, self.worst = Ledger(), Limits(), Worst()
        self.highest = Budget()

    @rule(limit=budget, attempt=amount)
    @precondition(lambda self: not self.ledger.reserved and not self.worst.used)
    def begin(self, limit: Budget, attempt: Amount) -> None:
        self.limits = Limits(run=limit, attempt=attempt)

    @rule(story=st.sampled_from(STORIES), kind=st.sampled_from(KINDS), bounded=st.booleans())
    def claim(self, story: StoryId, kind: str, bounded: bool) -> None:  # noqa: FBT001 - drawn
        if story in self.ledger.reserved or story in self.ledger.claims:
            return
        bounded = bounded and self.limits.run.tokens is None
        self.ledger = reservations.claimed(self.ledger, story, Claim(number=1, kind=kind, bounded=bounded))

    @rule(story=st.sampled_from(STORIES))
    def reserve(self, story: StoryId) -> None:
        claim = self.ledger.claims.get(story)
        if claim is None or (found := reservations.reservation(self.ledger, claim, self.limits)) is None:
            return
        self.ledger = reservations.reserved(self.ledger, story, found)
        used, limit = reservations.committed(self.ledger), self.limits.run
        assert limit.usd is None or used.usd <= limit.usd + SLACK, "reserved within the limit, whatever has been spent"
        assert limit.tokens is None or used.tokens <= limit.tokens
        assert limit.sessions is None or used.sessions <= limit.sessions

    @rule(
        story=st.sampled_from(STORIES),
        cents=st.none() | st.integers(0, 5_000),
        tokens=st.integers(0, 50_000),
        flag=st.booleans(),
    )
    def settle(self, story: StoryId, cents: int | None, tokens: int, flag: bool) -> None:  # noqa: FBT001 - drawn
        held = self.ledger.reserved.get(story)
        if held is None:
            return
        usd = None if cents is None else cents / 100
        if held.claim.bounded and usd is not None:
            usd = min(
                usd, held.amount.usd * (1 + reservations.OVERRUN)
            )  # its agent stops at the answer that reaches that
        used = Usage(input_tokens=tokens, cost_usd=usd) if flag else None
        self.ledger = reservations.settled(self.ledger, story, used)
        spent = Amount(
            usd=held.amount.usd if used is None or usd is None else usd,
            tokens=held.amount.tokens if used is None or (not tokens and usd != 0) else tokens,
        )
        self.worst.used.append(spent)
        self.worst.usd = max(self.worst.usd, spent.usd - held.amount.usd)
        self.worst.tokens = max(self.worst.tokens, spent.tokens - held.amount.tokens)

    @rule(story=st.sampled_from(STORIES))
    def drop(self, story: StoryId) -> None:
        """A story that ends before its attempt has begun."""
        self.ledger = reservations.dropped(self.ledger, story)
        assert story not in self.ledger.claims
        assert story not in self.ledger.reserved

    @rule(more=st.integers(0, 1000))
    def raise_limit(self, more: int) -> None:
        limit = self.limits.run
        raised = Budget(
            usd=None if limit.usd is None else limit.usd + more / 100,
            tokens=None if limit.tokens is None else limit.tokens + more,
            sessions=None if limit.sessions is None else limit.sessions + more // 500,
        )
        self.limits = Limits(run=limit.raised(raised), attempt=self.limits.attempt)

    @invariant()
    def spending_passes_the_limit_by_one_overshoot_at_most(self) -> None:
        limit, spent = self.limits.run, self.ledger.spent
        assert limit.usd is None or spent.usd <= limit.usd + self.worst.usd + SLACK
        assert limit.tokens is None or spent.tokens <= limit.tokens + self.worst.tokens

    @invariant()
    def every_attempt_is_a_session_and_their_limit_is_never_passed(self) -> None:
        limit, ended, begun = self.limits.run.sessions, len(self.worst.used), len(self.ledger.reserved)
        assert self.ledger.spent.sessions == ended
        assert limit is None or ended + begun <= limit

    @invariant()
    def nothing_is_lost_and_the_overshoot_is_shown(self) -> None:
        assert self.ledger.spent.usd == pytest.approx(sum(used.usd for used in self.worst.used), abs=SLACK)
        assert self.ledger.spent.tokens == sum(used.tokens for used in self.worst.used)
        assert (self.ledger.overshoot.usd, self.ledger.overshoot.tokens) == (self.worst.usd, self.worst.tokens)


TestBooks = Books.TestCase


@given(budget, amount, st.booleans())
def test_while_anything_is_left_and_no_one_is_at_work_a_first_attempt_can_begin(
    limit: Budget,
    attempt: Amount,
    bounded: bool,  # noqa: FBT001 - drawn
) -> None:
    found = reservations.reservation(
        Ledger(), Claim(number=1, kind="coding", bounded=bounded), Limits(run=limit, attempt=attempt)
    )
    assert (found is not None) == (0 not in {limit.usd, limit.tokens, limit.sessions})


@given(budget, amount, st.lists(st.tuples(st.booleans(), st.integers(0, 300)), min_size=1, max_size=len(STORIES)))
def test_all_that_are_at_work_at_once_may_overrun_and_the_limit_is_passed_by_one(
    limit: Budget, attempt: Amount, stories: list[tuple[bool, int]]
) -> None:
    """The worst case in one wave: as many attempts start as allowed, and none stops at its limit."""
    limits, ledger, over = Limits(run=limit, attempt=attempt), Ledger(), [0.0]
    for story, (bounded, _) in zip(STORIES, stories, strict=False):
        claim = Claim(number=1, kind="coding", bounded=bounded and limit.tokens is None)
        if found := reservations.reservation(ledger, claim, limits):
            ledger = reservations.reserved(reservations.claimed(ledger, story, claim), story, found)
    for (story, held), (_, beyond) in zip(list(ledger.reserved.items()), stories, strict=False):
        most = held.amount.usd * reservations.OVERRUN
        over.append(min(beyond / 100, most) if held.claim.bounded else beyond / 100)
        used = Usage(input_tokens=held.amount.tokens, cost_usd=held.amount.usd + over[-1])
        ledger = reservations.settled(ledger, story, used)
    assert limit.usd is None or ledger.spent.usd <= limit.usd + max(over) + SLACK
