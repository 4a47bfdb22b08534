"""Usage from before the run had a limit, as the run records it."""

from shiftwork.domain.budget import reservations
from shiftwork.domain.budget.amounts import Amount
from shiftwork.domain.core.decision import Effects
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run.spending import allowance_answers
from shiftwork.domain.run.state import RunState
from shiftwork.domain.usage.usage import Usage
from shiftwork.records import replace


def recorded(run: RunState, story: StoryId, used: Usage) -> RunState:
    """Records the usage. An attempt of unknown cost counts as the amount reserved for the first attempt of its kind."""
    each, ledger = run.given.limits.attempt, run.spending.ledger
    known = reservations.used_by(used)
    guess = Amount(usd=each.usd * used.unpriced, tokens=each.tokens * used.uncounted)
    books = replace(ledger, spent=ledger.spent + known + guess, guessed=ledger.guessed + guess)
    return replace(run, spending=replace(run.spending, ledger=books, owing=run.spending.owing - {story}))


def answers(run: RunState) -> Effects:
    """Answers the claims, once the run knows what is left."""
    return () if run.spending.owing else allowance_answers.answers(run)
