"""When the stories that have landed are ticked in the spec's file: at once, and once more where that failed."""

from dataclasses import replace

from shiftwork.domain.core.decision import Effects
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus, Telling


def owe(run: RunState, story: StoryId) -> RunState:
    """The file, where there is one, is to be told what has become of the story."""
    if not run.given.source:
        return run
    others = tuple(other for other in run.telling.untold if other != story)
    return replace(run, telling=replace(run.telling, untold=(*others, story), due=True))


def ticked(run: RunState, fact: run_facts.SpecTicked) -> RunState | None:
    if run.status is not RunStatus.RUNNING:
        return None
    rest = tuple(story for story in run.telling.untold if story not in fact.stories)
    return replace(run, telling=Telling(untold=rest, due=bool(rest), tries=run.telling.tries + 1))


def tick_failed(run: RunState, fact: run_facts.SpecTickFailed) -> RunState | None:
    if run.status is not RunStatus.RUNNING:
        return None
    untold = () if fact.final else run.telling.untold
    return replace(run, telling=Telling(untold=untold, due=False, tries=run.telling.tries + 1))


def tick_due(run: RunState) -> Effects:
    return (_tick(run),) if run.telling.due else ()


def tick_at_last(run: RunState) -> Effects:
    """Before the run ends: what could not be told earlier, for the last time."""
    return (_tick(run, final=True),) if run.telling.untold else ()


def _tick(run: RunState, *, final: bool = False) -> run_effects.TickSpec:
    telling = run.telling
    return run_effects.TickSpec(key=f"tick/{telling.tries + 1}", stories=telling.untold, final=final)
