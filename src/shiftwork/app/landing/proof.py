"""Whether a candidate whose gates are green is proved: verification steps, and evidence for its story's criteria."""

from dataclasses import replace

from shiftwork.app.runtime.recorder import QueueRecorder
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.attribution import gates_of
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.batching import spoken_for
from shiftwork.domain.landing.state import Entry, QueueState
from shiftwork.domain.proof.case import Case
from shiftwork.domain.proof.evidence import judge, lacking, sought, step_gates
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.spec.named_gates import gates_of_all
from shiftwork.domain.story import approval
from shiftwork.domain.story.state import StoryState


def shared_gates(recorder: QueueRecorder, entry: Entry) -> tuple[Gate, ...]:
    """The gates of the settings, and of the specs whose stories the check of this candidate speaks for, but for those
    that all of their runs continue without.
    """
    requests = [one.request for one in spoken_for(recorder.state, entry)]
    everything = gates_of_all(recorder.world.conduct.gates, (request.gates for request in requests))
    return gates_of(everything, *(request.without_gates for request in requests))


def own_gates(queue: QueueState, entry: Entry) -> tuple[Gate, ...]:
    """The verification steps of all stories that the check of this candidate speaks for."""
    return tuple(gate for one in spoken_for(queue, entry) for gate in step_gates(one.request.story, one.request.case))


async def verdict(
    recorder: QueueRecorder, entry: Entry, report: GateReport
) -> landing_facts.CandidateVerified | landing_facts.CandidateUnproved:
    """What green gates and the evidence come to: verified, or what the first candidate that is not proved lacks."""
    at = recorder.world.clock.now()
    proofs: list[ProofReport] = []
    for one in spoken_for(recorder.state, entry):
        proof = await _proof(recorder, one, report)
        if told := lacking(proof):
            return landing_facts.CandidateUnproved(
                at=at, request=one.request.key, report=report, proof=proof, lacking=told
            )
        if one.unapproved:
            return unapproved(one, report, proof, at)
        proofs.append(proof)
    return landing_facts.CandidateVerified(at=at, request=entry.request.key, report=report, proofs=tuple(proofs))


def unapproved(entry: Entry, report: GateReport, proof: ProofReport, at: float) -> landing_facts.CandidateUnproved:
    """All is green, and a person is to be asked before it lands."""
    cause, lacking = Refusal.APPROVAL, approval.lacking(entry)
    return landing_facts.CandidateUnproved(
        at=at, request=entry.request.key, report=report, proof=proof, lacking=lacking, cause=cause
    )


def uninstalled(entry: Entry, why: str, at: float) -> landing_facts.CandidateUnproved:
    """What the candidate depends on cannot be installed, so that no gate was run on it: a person decides."""
    lacking = f"the story changes its dependencies, and they cannot be installed here: {why}"
    proof = ProofReport(commit=entry.candidate, tree="", policy=entry.request.case.policy)
    report = GateReport(commit=entry.candidate)
    return landing_facts.CandidateUnproved(
        at=at, request=entry.request.key, report=report, proof=proof, lacking=lacking, cause=Refusal.DEPENDENCIES
    )


async def _proof(recorder: QueueRecorder, entry: Entry, report: GateReport) -> ProofReport:
    """Of its own commit: where only the last of a batch is checked, the report is that one's."""
    case, story = entry.request.case, entry.request.story
    wanted = sought(case)
    found = await recorder.world.witness.look(entry.base, entry.candidate, wanted.paths, wanted.names)
    return judge(story, case, found, replace(report, commit=entry.candidate))


def case_of(story: StoryState) -> Case:
    """What the story brings when it asks to land."""
    asked = story.given.story
    return Case(
        policy=story.given.proof,
        criteria=asked.criteria,
        evidence=story.dialogue.evidence,
        verification=asked.verification,
        vouched=story.confirmed.text,
    )
