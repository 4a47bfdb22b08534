"""Chooses the profiles for a story's roles from the results of past stories in the views."""

from collections.abc import Iterable, Sequence

from shiftwork.app.runtime.context import Context
from shiftwork.domain.agents.bandit import choose
from shiftwork.domain.agents.tally import ANY_ROLE, Choice, Tally
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.story.profile_choice import picked
from shiftwork.ports.views import ProfileRow, Verdict
from shiftwork.records import replace


async def with_profiles(context: Context, effect: run_effects.DispatchStory) -> Assignment:
    """Returns the assignment with which the story starts. The run's own steps stay with the run's own agent: they land
    nothing by which a profile could be rated.
    """
    given, candidates = effect.assignment, context.work_policy.candidates
    if len(candidates) < 2 or given.story.id == FRAME:
        return given
    return picked(given, effect.steps, candidates, tallies(await context.record()))


def tallies(rows: Iterable[ProfileRow]) -> Sequence[Tally]:
    """Counts the rows by role and profile."""
    found: dict[tuple[str, str], Tally] = {}
    for row in rows:
        known = found.get((row.role, row.profile), Tally(role=row.role, profile=row.profile))
        found[row.role, row.profile] = _with(known, row)
    return tuple(found.values())


def choices(candidates: Sequence[str], rows: Iterable[ProfileRow]) -> dict[str, Choice]:
    """The profile that the next story would get, by role: the roles with a record, and the one of every workflow."""
    record = tallies(rows)
    roles = sorted({ANY_ROLE, *(tally.role for tally in record)})
    return {role: choose(role, candidates, record) for role in roles}


def _with(known: Tally, row: ProfileRow) -> Tally:
    if row.verdict == Verdict.OPEN:
        return replace(known, in_progress=known.in_progress + 1)
    if row.verdict == Verdict.VOID:
        return replace(known, void=known.void + 1)
    ended, verified = known.ended + 1, known.verified + (row.verdict == Verdict.VERIFIED)
    if row.cost_usd is None:
        return replace(known, ended=ended, verified=verified, unpriced=known.unpriced + 1)
    cost, dearest = (known.cost_usd or 0.0) + row.cost_usd, max(known.dearest, row.cost_usd)
    return replace(known, ended=ended, verified=verified, cost_usd=cost, dearest=dearest)
