"""What an attempt produces besides its result: notes, evidence for criteria, planned stories."""

from collections.abc import Sequence

from shiftwork.app.attempt.attempt import Attempt, Said
from shiftwork.app.attempt.memory import remarks_of, share
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.memory.notes import Remark
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.spec.named_gates import gates_of_run
from shiftwork.domain.spec.typecheck import with_typecheck
from shiftwork.domain.story import facts as story_facts
from shiftwork.prompts.answer.evidence_items import Claims, claims_of, remark_on


async def reserved(attempt: Attempt, said: Said, own: tuple[Remark, ...] = ()) -> tuple[Fact, ...]:
    """The notes and the evidence of the attempt; `own` notes come last."""
    remarks = remarks_of(said.outputs, said.answer)
    await share(attempt.recorder, f"{attempt.step.id}/{attempt.number}", remarks)
    listed = _claims(attempt, said)
    unread = remark_on(listed.not_understood)
    after = (*((Remark(text=unread),) if unread else ()), *own)
    return (*_notes(attempt, remarks), *_evidence(attempt, said, listed), *_notes(attempt, after))


def planned(attempt: Attempt, said: Said) -> tuple[Fact, ...]:
    if not said.plan:
        return ()
    given = attempt.story.given
    gates = gates_of_run(attempt.recorder.context.work_policy.gates, given.gates, given.without_gates)
    stories = with_typecheck(said.plan, gates)
    return (story_facts.StoriesPlanned(at=attempt.now, by=attempt.step.id, stories=stories),)


def _notes(attempt: Attempt, remarks: Sequence[Remark]) -> tuple[Fact, ...]:
    at, by = attempt.now, attempt.step.id
    return tuple(story_facts.NoteWritten(at=at, by=by, text=remark.text, scope=remark.scope) for remark in remarks)


def _claims(attempt: Attempt, said: Said) -> Claims:
    return claims_of(said.answer.evidence, [criterion.id for criterion in attempt.story.given.story.criteria])


def _evidence(attempt: Attempt, said: Said, listed: Claims) -> tuple[Fact, ...]:
    """What the answer lists, then what the tool was called with."""
    known = {criterion.id for criterion in attempt.story.given.story.criteria}
    by_tool = (
        Evidence(**claim)
        for claim in said.outputs.evidence
        if claim.keys() == {"criterion", "kind", "reference"} and claim["criterion"] in known
    )
    at, by = attempt.now, attempt.step.id
    return tuple(story_facts.EvidenceReported(at=at, by=by, evidence=claim) for claim in (*listed.claims, *by_tool))
