"""What the end of an attempt means: the facts it becomes, and the state its workspace is left in."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shiftwork import failpoints
from shiftwork.app.edits import apply_requests
from shiftwork.app.naming import desk_of, place_of
from shiftwork.app.pen import Pen
from shiftwork.domain.model import facts as f
from shiftwork.domain.model.facts import Fact, Trouble
from shiftwork.domain.model.ids import Commit
from shiftwork.domain.model.pipeline import Step
from shiftwork.domain.model.story import Evidence, StoryState
from shiftwork.ports.agent import AgentReport, Ending
from shiftwork.ports.desk import Desk, Mail
from shiftwork.prompts import contract


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What every part of an attempt needs to know; `tree` is where the agent works."""

    pen: Pen
    step: Step
    number: int
    desk: Desk
    tree: Path

    @property
    def story(self) -> StoryState:
        state: StoryState = self.pen.state
        return state

    @property
    def now(self) -> float:
        return self.pen.world.clock.now()


_TROUBLES: Final = {
    Ending.CRASHED: Trouble.CRASHED,
    Ending.API_ERROR: Trouble.API_ERROR,
    Ending.RATE_LIMITED: Trouble.API_ERROR,
    Ending.FLOODED: Trouble.FLOODED,
    Ending.TIMED_OUT: Trouble.TIMED_OUT,
    Ending.SILENT: Trouble.SILENT,
    Ending.CANCELLED: Trouble.CANCELLED,
}
_FROM_OUTSIDE: Final = frozenset({Trouble.TIMED_OUT, Trouble.SILENT, Trouble.CANCELLED})


async def ended(attempt: Attempt, report: AgentReport) -> tuple[Fact, ...]:
    if report.ending is not Ending.FINISHED:
        return await _went_wrong(attempt, report, _TROUBLES[report.ending], report.detail or str(report.ending))
    said = contract.parse(report.answer)
    if said.blocked:
        return await _went_wrong(attempt, report, Trouble.REJECTED, f"the agent is blocked: {said.blocked}")
    if not said.summary:
        return await _went_wrong(attempt, report, Trouble.CONTRACT, "the answer does not end with a SUMMARY section")
    if missing := [key for key in attempt.step.output_keys if key not in dict(said.outputs)]:
        told = f"the answer lacks {', '.join(key.upper() + ':' for key in missing)}"
        return await _went_wrong(attempt, report, Trouble.CONTRACT, told)
    return await _finished(attempt, report, said)


async def _went_wrong(attempt: Attempt, report: AgentReport, trouble: Trouble, error: str) -> tuple[Fact, ...]:
    """Keep the attempt's changes as a diff and put the workspace back; its edits stay on its desk, not applied."""
    diff = await _abandon(attempt, "failed")
    failpoints.reach("attempt.abandoned")
    ended = failure(attempt, report, trouble, error, diff)
    cancel = (f.StoryCancelRequested(at=attempt.now),) if trouble is Trouble.CANCELLED else ()
    return (ended, *cancel)


def failure(attempt: Attempt, report: AgentReport, trouble: Trouble, error: str, diff: str = "") -> Fact:
    """A failed attempt, or a cancelled one where the trouble came from outside."""
    kind = f.StepCancelled if trouble in _FROM_OUTSIDE else f.StepFailed
    return kind(
        at=attempt.now,
        step=attempt.step.id,
        attempt=attempt.number,
        trouble=trouble,
        error=error,
        usage=report.usage,
        diff=diff,
    )


async def _abandon(attempt: Attempt, why: str) -> str:
    world, story = attempt.pen.world, attempt.story
    keep = world.desks.keep_path(desk_of(story, attempt.step.id, attempt.number), why)
    kept = await world.workspaces.restore(place_of(story), attempt.step.start_commit, keep)
    return str(keep) if kept else ""


async def _finished(attempt: Attempt, report: AgentReport, said: contract.Answer) -> tuple[Fact, ...]:
    mail = await attempt.pen.world.desks.collect(attempt.desk)
    edited = apply_requests(attempt.story.pipeline, attempt.step.id, mail.edits, attempt.now)
    if edited.refused_restart:
        return await _went_wrong(attempt, report, Trouble.REJECTED, edited.refused_restart)
    if edited.restarted:
        diff = await _abandon(attempt, "restarted")
        failpoints.reach("attempt.abandoned")
        return (*edited.facts, _yielded(attempt, report, Commit(""), diff))
    commit = await _commit(attempt)
    if unresolved := await _unresolved(attempt, commit):
        told = f"conflict markers still stand in {', '.join(unresolved)}"
        return await _went_wrong(attempt, report, Trouble.CONTRACT, told)
    failpoints.reach("attempt.committed")
    said_aside = _mail_facts(attempt, mail)
    if edited.put_back:
        note = f.NoteWritten(at=attempt.now, by=attempt.step.id, text=said.summary)
        return (*said_aside, note, *edited.facts, _yielded(attempt, report, commit, ""))
    return (*said_aside, *edited.facts, _completed(attempt, report, said, commit))


async def _commit(attempt: Attempt) -> Commit:
    given, step = attempt.story.given, attempt.step
    message = f"{given.story.id} {step.id} {step.type} (attempt {attempt.number})"
    return await attempt.pen.world.workspaces.snapshot(place_of(attempt.story), attempt.story.head, message)


async def _unresolved(attempt: Attempt, commit: Commit) -> Sequence[str]:
    refused = attempt.story.refused
    if attempt.step.type != "rebase_resolve" or refused is None:
        return ()
    return await attempt.pen.world.repository.unresolved(commit, refused.files)


def _yielded(attempt: Attempt, report: AgentReport, commit: Commit, diff: str) -> Fact:
    return f.StepYielded(
        at=attempt.now,
        step=attempt.step.id,
        attempt=attempt.number,
        commit=commit,
        usage=report.usage,
        diff=diff,
    )


def _completed(attempt: Attempt, report: AgentReport, said: contract.Answer, commit: Commit) -> Fact:
    wanted = attempt.step.output_keys
    outputs = tuple(pair for pair in said.outputs if not wanted or pair[0] in wanted)
    return f.StepCompleted(
        at=attempt.now,
        step=attempt.step.id,
        attempt=attempt.number,
        commit=commit,
        notes=said.summary,
        outputs=outputs,
        usage=report.usage,
    )


def _mail_facts(attempt: Attempt, mail: Mail) -> tuple[Fact, ...]:
    notes = (f.NoteWritten(at=attempt.now, by=attempt.step.id, text=text) for text in mail.notes)
    known = {criterion.id for criterion in attempt.story.given.story.criteria}
    evidence = (
        f.EvidenceReported(at=attempt.now, by=attempt.step.id, evidence=Evidence(**claim))
        for claim in mail.evidence
        if claim.keys() == {"criterion", "kind", "reference"} and claim["criterion"] in known
    )
    return (*notes, *evidence)
