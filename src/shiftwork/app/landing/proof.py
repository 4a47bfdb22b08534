"""Decides whether a candidate with green gates is proved: verification steps, and evidence for the story's criteria."""

from collections.abc import Sequence

from shiftwork.app.runtime.recorder import QueueRecorder
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.attribution import gates_of
from shiftwork.domain.gates.gate import Gate, GateReport, gate_name
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.batching import spoken_for
from shiftwork.domain.landing.state import Entry, QueueState
from shiftwork.domain.proof.case import Case
from shiftwork.domain.proof.evidence import judge, lacking, sought, steps_to_run
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.spec.named_gates import gates_for, gates_of_all
from shiftwork.domain.story import approval
from shiftwork.domain.story.state import StoryState
from shiftwork.records import replace


def shared_gates(recorder: QueueRecorder, entry: Entry) -> tuple[Gate, ...]:
    """The gates of the settings and of the specs of all stories that the check of this candidate covers, except those
    that all of their runs continue without.
    """
    requests = [item.request for item in spoken_for(recorder.state, entry)]
    everything = gates_of_all(recorder.context.work_policy.gates, (request.gates for request in requests))
    return gates_of(everything, *(request.without_gates for request in requests))


def own_gates(queue: QueueState, entry: Entry, gates: Sequence[Gate]) -> tuple[Gate, ...]:
    """The verification steps of all stories that the check of this candidate covers, but those that are gates."""
    return tuple(
        gate for item in spoken_for(queue, entry) for gate in steps_to_run(item.request.story, item.request.case, gates)
    )


async def verdict(
    recorder: QueueRecorder, entry: Entry, report: GateReport, key: str
) -> landing_facts.CandidateVerified | landing_facts.CandidateUnproved:
    """The verdict from green gates and evidence: verified, or what the first unproved candidate lacks. `key` is that of
    `PassedGates`.
    """
    at = recorder.context.clock.now()
    proofs: list[ProofReport] = []
    for item in spoken_for(recorder.state, entry):
        proof = await _proof(recorder, item, report)
        if text := lacking(proof):
            return landing_facts.CandidateUnproved(
                at=at, request=item.request.key, report=report, proof=proof, lacking=text.detail, feedback=text.feedback
            )
        if item.unapproved:
            return replace(unapproved(item, report, proof, at), key=key)
        proofs.append(proof)
    return landing_facts.CandidateVerified(at=at, request=entry.request.key, report=report, proofs=tuple(proofs))


def unapproved(entry: Entry, report: GateReport, proof: ProofReport, at: float) -> landing_facts.CandidateUnproved:
    """The gates are green, but a person must approve the candidate before it lands."""
    cause, lacking = Refusal.APPROVAL, approval.lacking(entry)
    return landing_facts.CandidateUnproved(
        at=at, request=entry.request.key, report=report, proof=proof, lacking=lacking, cause=cause
    )


def uninstalled(entry: Entry, why: str, at: float) -> landing_facts.CandidateUnproved:
    """The candidate's dependencies cannot be installed, so no gate has run on it: a person decides."""
    lacking = f"the story changes its dependencies, but they cannot be installed here: {why}"
    proof = ProofReport(commit=entry.candidate, tree="", policy=entry.request.case.policy)
    report = GateReport(commit=entry.candidate)
    return landing_facts.CandidateUnproved(
        at=at, request=entry.request.key, report=report, proof=proof, lacking=lacking, cause=Refusal.DEPENDENCIES
    )


async def _proof(recorder: QueueRecorder, entry: Entry, report: GateReport) -> ProofReport:
    """The proof for the entry's own commit: if only the last of a batch is checked, the report is from that commit."""
    case, story = entry.request.case, entry.request.story
    wanted = sought(case)
    found = await recorder.context.inspector.look(entry.base, entry.candidate, wanted.paths, wanted.names)
    return judge(story, case, found, replace(report, commit=entry.candidate))


def case_of(story: StoryState, configured: Sequence[Gate]) -> Case:
    """The evidence that the story submits with its request to land. A verification step does not run if the run
    continues without it, or without a gate that is the same command.
    """
    given, asked = story.given, story.given.story
    left_out = {gate.command for gate in gates_for(configured, given.gates) if gate.name in given.without_gates}
    not_checked = [
        step.id
        for step in asked.verification
        if (step.command and step.command in left_out) or gate_name(asked.id, step.id) in given.without_gates
    ]
    return Case(
        policy=story.given.proof,
        criteria=asked.criteria,
        evidence=story.dialogue.evidence,
        verification=tuple(step for step in asked.verification if step.id not in not_checked),
        confirmed=story.confirmation,
        not_checked=tuple(not_checked),
    )
