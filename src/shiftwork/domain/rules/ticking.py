"""When the stories that have landed are ticked in the spec's file: at once, and once more where that failed."""

from dataclasses import replace

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.ids import StoryId
from shiftwork.domain.model.run import RunState, RunStatus, Telling
from shiftwork.domain.rules.deciding import Effects


def owe(run: RunState, story: StoryId) -> RunState:
    """The file, where there is one, is to be told what has become of the story."""
    if not run.given.source:
        return run
    others = tuple(other for other in run.telling.untold if other != story)
    return replace(run, telling=replace(run.telling, untold=(*others, story), due=True))


def ticked(run: RunState, fact: r.SpecTicked) -> RunState | None:
    if run.status is not RunStatus.RUNNING:
        return None
    rest = tuple(story for story in run.telling.untold if story not in fact.stories)
    return replace(run, telling=Telling(untold=rest, due=bool(rest), tries=run.telling.tries + 1))


def tick_failed(run: RunState, fact: r.SpecTickFailed) -> RunState | None:
    if run.status is not RunStatus.RUNNING:
        return None
    untold = () if fact.final else run.telling.untold
    return replace(run, telling=Telling(untold=untold, due=False, tries=run.telling.tries + 1))


def tick_due(run: RunState) -> Effects:
    return (_tick(run),) if run.telling.due else ()


def tick_at_last(run: RunState) -> Effects:
    """Before the run ends: what could not be told earlier, for the last time."""
    return (_tick(run, final=True),) if run.telling.untold else ()


def _tick(run: RunState, *, final: bool = False) -> e.TickSpec:
    telling = run.telling
    return e.TickSpec(key=f"tick/{telling.tries + 1}", stories=telling.untold, final=final)
