"""The certificate of a landed story: built from its history, in one canonical form."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any, Final

from shiftwork.domain.core.decision import NOW
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.plain import to_plain
from shiftwork.domain.gates.gate import GateResult, gate_name, verified_by
from shiftwork.domain.proof.certificate import Certificate, GateLine, StepLine, VerifiedLine
from shiftwork.domain.proof.proof_status import status_on
from shiftwork.domain.proof.verdict import ProofReport, ProofStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.facts.certificate import StoryCertified
from shiftwork.domain.story.state import Landed, StoryState
from shiftwork.domain.workflow.guardrails import skipped
from shiftwork.records import replace

FORMAT: Final = "shiftwork-certificate/1"


def completion(story: StoryState) -> tuple[Fact, ...]:
    """The facts that end a landed story, including its certificate if it was proved."""
    completed = story_facts.StoryCompleted(at=NOW, commit=story.landed_commit)
    if story.landed is None or story.landed.proof is None:
        return (completed,)
    certificate = certify(story, story.landed, story.landed.proof)
    return (StoryCertified(at=NOW, certificate=certificate, sha256=digest(certificate)), completed)


def certify(story: StoryState, landed: Landed, proof: ProofReport) -> Certificate:
    given, asked = story.given, story.given.story
    repairs, conflicts = story.landing.attempts_at_repair
    results = landed.report.results if landed.report else ()
    own = {gate_name(asked.id, step.id) for step in asked.verification}
    verified = ((step, verified_by(asked.id, step, results)) for step in asked.verification)
    return Certificate(
        run=given.run,
        story=asked.id,
        title=story.landing.subject or asked.title,
        ref=landed.ref,
        commit=landed.commit,
        base=landed.base,
        tree=proof.tree,
        policy=proof.policy,
        criteria=proof.criteria,
        gates=tuple(_gate(result) for result in results if result.name not in own),
        verification=tuple(
            VerifiedLine(step=step, seconds=result.seconds, forgeable=result.forgeable)
            for step, result in verified
            if result
        ),
        steps=tuple(_steps(story)),
        repairs=repairs,
        conflicts=conflicts,
        usage=story.spending.usage,
        confirmed=story.confirmation,
        fail_to_pass=landed.report.fail_to_pass if landed.report else None,
        without_gates=given.without_gates,
        skipped=skipped(story.pipeline),
        left_out=story.landing.inspection.left_out,
        not_needed=landed.report.not_needed if landed.report else (),
        unmeasured=story.landing.inspection.unmeasured,
        excused=landed.report.excused if landed.report else (),
    )


def proof_of(story: StoryState) -> ProofStatus | None:
    """The proof status of a landed story; None if unknown, as in the first histories."""
    if story.landed is None or story.landed.report is None:
        return None
    asked = story.given.story
    return status_on(asked.id, story.landed.report, story.landed.proof, asked.verification)


def _gate(result: GateResult) -> GateLine:
    return GateLine(
        name=result.name,
        seconds=result.seconds,
        flaky=result.flaky,
        restored=result.restored,
        command=result.command,
        blind=result.blind,
        origin=result.origin,
        forgeable=result.forgeable,
    )


def _steps(story: StoryState) -> Iterator[StepLine]:
    for step in story.pipeline.steps:
        if step.attempts:
            yield StepLine(
                step=step.id,
                type=step.plan.type,
                attempts=step.attempts,
                agent=step.assigned_profile,
                model=step.model,
                usage=step.usage,
            )


def certified(story: StoryState, fact: StoryCertified) -> StoryState | None:
    """Accepts a certificate only for the commit that the story has landed."""
    return (
        replace(story, landed=replace(story.landed, certificate=fact.sha256))
        if story.landed and fact.certificate.commit == story.landed.commit
        else None
    )


def plain(certificate: Certificate) -> dict[str, Any]:
    """The certificate as JSON values. Fields that were added later are left out when they are empty, so that the
    digests of older certificates stay valid.
    """
    said: dict[str, Any] = to_plain(certificate)
    if certificate.fail_to_pass is None:
        del said["fail_to_pass"]
    for name in _LATER_LISTS:
        if not said[name]:
            del said[name]
    lines = {
        name: [{key: value for key, value in line.items() if key not in _LATER or value} for line in said[name]]
        for name in ("gates", "verification")
    }
    return said | lines


_LATER_LISTS: Final = ("without_gates", "skipped", "left_out", "not_needed", "excused", "unmeasured")
_LATER: Final = frozenset({"command", "blind", "origin", "forgeable"})


def canonical(certificate: Certificate) -> bytes:
    """The same certificate always gives the same bytes."""
    said = plain(certificate)
    return json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode(errors="surrogatepass")


def digest(certificate: Certificate) -> str:
    return hashlib.sha256(canonical(certificate)).hexdigest()
