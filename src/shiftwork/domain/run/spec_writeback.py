"""When landed stories are marked as done in the spec's file: immediately, and again later if that failed."""

from shiftwork.domain.core.decision import Effects
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus, SpecWriteback
from shiftwork.records import replace


def owe(run: RunState, story: StoryId) -> RunState:
    """Adds the story to those whose status must be written to the spec's file, if the spec has a file."""
    if not run.given.source:
        return run
    others = tuple(other for other in run.writeback.unwritten if other != story)
    return replace(run, writeback=replace(run.writeback, unwritten=(*others, story), due=True))


def marked(run: RunState, fact: run_facts.SpecUpdated) -> RunState | None:
    if run.status is not RunStatus.RUNNING:
        return None
    rest = tuple(story for story in run.writeback.unwritten if story not in fact.stories)
    return replace(run, writeback=SpecWriteback(unwritten=rest, due=bool(rest), tries=run.writeback.tries + 1))


def update_failed(run: RunState, fact: run_facts.SpecUpdateFailed) -> RunState | None:
    if run.status is not RunStatus.RUNNING:
        return None
    unwritten = () if fact.final else run.writeback.unwritten
    return replace(run, writeback=SpecWriteback(unwritten=unwritten, due=False, tries=run.writeback.tries + 1))


def update_due(run: RunState) -> Effects:
    return (_update(run),) if run.writeback.due else ()


def update_at_last(run: RunState) -> Effects:
    """The last try, before the run ends, for what could not be written earlier."""
    return (_update(run, final=True),) if run.writeback.unwritten else ()


def _update(run: RunState, *, final: bool = False) -> run_effects.UpdateSpec:
    writeback = run.writeback
    return run_effects.UpdateSpec(key=f"spec/{writeback.tries + 1}", stories=writeback.unwritten, final=final)
