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


async def reserved(attempt: Attempt, said: Said, own: tuple[Remark, ...] = ()) -> tuple[Fact, ...]:
    """The notes and the evidence of the attempt; `own` notes come last."""
    remarks = remarks_of(said.outputs, said.answer)
    await share(attempt.recorder, f"{attempt.step.id}/{attempt.number}", remarks)
    return (*_notes(attempt, remarks), *_evidence(attempt, said), *_notes(attempt, own))


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


def _evidence(attempt: Attempt, said: Said) -> tuple[Fact, ...]:
    known = {criterion.id for criterion in attempt.story.given.story.criteria}
    return tuple(
        story_facts.EvidenceReported(at=attempt.now, by=attempt.step.id, evidence=Evidence(**claim))
        for claim in (*map(_claim, said.answer.evidence), *said.outputs.evidence)
        if claim.keys() == {"criterion", "kind", "reference"} and claim["criterion"] in known
    )


def _claim(item: str) -> dict[str, str]:
    """Parses `AC-1 citation src/greet.py:3`, the form that agents without tools write."""
    return dict(zip(("criterion", "kind", "reference"), item.replace("`", "").split(maxsplit=2), strict=False))
