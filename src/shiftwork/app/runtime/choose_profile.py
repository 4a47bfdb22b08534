"""Who plays a story's roles where that is to be learnt: what the views know of past stories, as the rule reads it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from shiftwork.app.runtime.context import World
from shiftwork.domain.agents.tally import Tally
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.story.profile_choice import picked
from shiftwork.ports.views import PlayedRow, Verdict


async def cast(world: World, effect: run_effects.DispatchStory) -> Assignment:
    """The assignment as the story is begun with it. The run's own steps are left to the run's own agent: they land
    nothing that would tell how well they were played.
    """
    given, candidates = effect.assignment, world.conduct.candidates
    if len(candidates) < 2 or given.story.id == FRAME:
        return given
    return picked(given, effect.steps, candidates, tallies(await world.record()))


def tallies(rows: Iterable[PlayedRow]) -> Sequence[Tally]:
    """By role and profile."""
    found: dict[tuple[str, str], Tally] = {}
    for row in rows:
        known = found.get((row.role, row.profile), Tally(role=row.role, profile=row.profile))
        found[row.role, row.profile] = _with(known, row)
    return tuple(found.values())


def _with(known: Tally, row: PlayedRow) -> Tally:
    if row.verdict == Verdict.OPEN:
        return replace(known, under_way=known.under_way + 1)
    if row.verdict == Verdict.VOID:
        return replace(known, void=known.void + 1)
    ended, verified = known.ended + 1, known.verified + (row.verdict == Verdict.VERIFIED)
    if row.cost_usd is None:
        return replace(known, ended=ended, verified=verified, unpriced=known.unpriced + 1)
    cost, dearest = (known.cost_usd or 0.0) + row.cost_usd, max(known.dearest, row.cost_usd)
    return replace(known, ended=ended, verified=verified, cost_usd=cost, dearest=dearest)
