"""Certificates derived from a story's history, and candidates whose gates pass but whose evidence does not."""

import json
from dataclasses import replace

from shiftwork.domain.codec import decode, encode
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.plain import from_plain
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.decide import decide_queue
from shiftwork.domain.landing.state import LandingPolicy, Proof, QueueState
from shiftwork.domain.proof.certificate import Certificate, GateLine
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.certify import canonical, completion, digest, plain
from shiftwork.domain.story.facts.certificate import StoryCertified
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.tampering.findings import Inspection
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.testing.builders import BASE, fold_queue, fold_story, gate_report, landing_asked, landing_request

TIP = Commit("tip")
PROOF = ProofReport(commit=TIP, tree="tree", policy=ProofPolicy.CITED)


def landed(*, proof: ProofReport | None = PROOF, report: GateReport | None = None) -> StoryState:
    accepted = story_facts.LandingAccepted(at=9, commit=TIP, ref="main", base=BASE, report=report, proof=proof)
    return fold_story(landing_asked("coding", "linting"), accepted)


def test_a_story_that_was_proved_leaves_its_certificate_and_then_completes() -> None:
    result = GateResult(name="unit", passed=True, seconds=2, flaky=True, command="make unit")
    story = landed(report=GateReport(commit=TIP, results=(result,)))
    certified, completed = completion(story)
    assert isinstance(certified, StoryCertified)
    assert isinstance(completed, story_facts.StoryCompleted)
    said = certified.certificate
    assert (said.commit, said.base, said.tree, said.ref) == (TIP, BASE, "tree", "main")
    assert said.gates == (GateLine(name="unit", seconds=2, flaky=True, command="make unit"),)
    assert certified.sha256 == digest(said)
    stored = encode(certified)
    assert decode(stored.kind, stored.version, stored.body) == certified
    shown = fold_story(story, certified).landed
    assert shown is not None
    assert shown.certificate == certified.sha256
    other = replace(certified, certificate=replace(said, commit=Commit("other")))
    assert fold_story(story, other) == story, "what has not landed is not certified"


def test_what_landed_before_there_were_proofs_completes_without_a_certificate() -> None:
    (only,) = completion(landed(proof=None))
    assert isinstance(only, story_facts.StoryCompleted)


def test_a_certificate_counts_the_repairs_and_conflicts_of_earlier_starts() -> None:
    story = replace(made := landed(), landing=replace(made.landing, repairs=1, conflicts=2, earlier=(3, 4)))
    certified = completion(story)[0]
    assert isinstance(certified, StoryCertified)
    assert (certified.certificate.repairs, certified.certificate.conflicts) == (4, 6)


def test_a_certificate_leaves_out_steps_that_were_never_tried() -> None:
    story = landed()
    untried = replace(story.pipeline.steps[0], attempts=0)
    changed = replace(story, pipeline=story.pipeline.with_step(untried))
    certified = completion(changed)[0]
    assert isinstance(certified, StoryCertified)
    assert [line.type for line in certified.certificate.steps] == ["linting"]


def test_steps_that_were_skipped_by_an_edit_and_files_that_were_left_out_are_in_it() -> None:
    story = landed()
    first, second = story.pipeline.steps
    skipped = replace(first, status=StepStatus.SKIPPED, skip_reason="in a\nhurry")
    passed = replace(second, status=StepStatus.SKIPPED, passed_over=True)
    changed = replace(
        story,
        pipeline=replace(story.pipeline, steps=(skipped, passed)),
        landing=replace(story.landing, inspection=Inspection(left_out=(".mcp.json",))),
    )
    certified = completion(changed)[0]
    assert isinstance(certified, StoryCertified)
    said = certified.certificate
    assert (said.skipped, said.left_out) == ((f"{first.plan.name}: in a hurry",), (".mcp.json",))
    assert {"skipped", "left_out"} <= plain(said).keys()


def test_the_canonical_form_is_the_same_whatever_stands_in_it() -> None:
    certified = completion(landed())[0]
    assert isinstance(certified, StoryCertified)
    odd = replace(certified.certificate, title="caf\u00e9 \ud800")
    assert canonical(odd) == canonical(replace(odd))
    assert digest(odd) != digest(certified.certificate)


def test_a_certificate_from_before_gates_had_commands_in_it_has_the_digest_that_it_had() -> None:
    before = """{"run": "r1", "story": "US-001", "title": "Story 1", "ref": "main", "commit": "c", "base": "b",
        "tree": "t", "policy": "trusting", "criteria": [], "verification": [], "steps": [], "confirmed": "",
        "gates": [{"name": "unit", "seconds": 2.0, "flaky": false, "restored": false}], "repairs": 0, "conflicts": 0,
        "usage": {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0, "cost_usd": null, "estimated": false,
        "model": "", "attempts": 0, "uncounted": 0, "unpriced": 0}}"""
    said = from_plain(Certificate, json.loads(before))
    assert plain(said) == json.loads(before)
    assert digest(said) == "ded18f667eced6a28d95e6a85e3db0199dc4c22a72abf0576c88117aedd93f6f"
    known = replace(said, gates=(replace(said.gates[0], command="make unit"),))
    assert digest(known) != digest(said)


# In the queue ----------------------------------------------------------------------------------------------------


def batch(policy: LandingPolicy) -> QueueState:
    requests = [landing_request(1), landing_request(2)]
    commits = [Commit("one"), Commit("two")]
    bases = [BASE, commits[0]]
    return fold_queue(
        QueueState(),
        *(landing_facts.EntryQueued(at=1, branch="main", request=request) for request in requests),
        landing_facts.BatchTaken(at=2, number=1, policy=policy),
        *(
            landing_facts.CandidateBuilt(at=2, request=request.key, round=1, base=base, commit=commit)
            for request, base, commit in zip(requests, bases, commits, strict=True)
        ),
    )


def unproved(number: int, commit: str) -> landing_facts.CandidateUnproved:
    return landing_facts.CandidateUnproved(
        at=3,
        request=landing_request(number).key,
        report=gate_report(Commit(commit)),
        proof=replace(PROOF, commit=Commit(commit)),
        lacking="AC-1 is not shown",
    )


def test_what_is_not_proved_is_refused_with_what_it_lacks_and_is_not_checked_again() -> None:
    queue = fold_queue(batch(LandingPolicy(proof=Proof.EACH)), unproved(1, "one"))
    (effect,) = decide_queue(queue)
    assert isinstance(effect, e.Conclude)
    (refused,) = effect.facts
    assert isinstance(refused, landing_facts.EntryRefused)
    assert (refused.cause, refused.detail) == (Refusal.EVIDENCE, "AC-1 is not shown")
    assert refused.report


def test_a_verdict_on_another_commit_is_not_about_this_one() -> None:
    queue = batch(LandingPolicy(proof=Proof.EACH))
    assert fold_queue(queue, unproved(1, "two")) == queue


def test_gates_on_the_last_of_a_batch_do_not_verify_what_was_found_unproved() -> None:
    queue = fold_queue(batch(LandingPolicy(proof=Proof.TIP)), unproved(1, "one"))
    last = landing_facts.CandidateVerified(at=4, request=landing_request(2).key, report=gate_report(Commit("two")))
    assert fold_queue(queue, last) == queue


def test_gates_that_the_run_continues_without_are_named() -> None:
    story = landed(report=gate_report(TIP))
    without = replace(story, assignment=replace(story.given, without_gates=("lint",)))
    certified = completion(without)[0]
    assert isinstance(certified, StoryCertified)
    said = certified.certificate
    assert said.without_gates == ("lint",)
    assert plain(said)["without_gates"] == ["lint"]
    assert from_plain(Certificate, plain(said)) == said
    assert "without_gates" not in plain(replace(said, without_gates=())), "digests from before remain valid"


def test_a_gate_that_ran_for_another_run_alone_does_not_count() -> None:
    queue = batch(LandingPolicy(proof=Proof.TIP))
    first, last = queue.chain[0], queue.chain[-1]
    entries = tuple(
        replace(entry, request=replace(entry.request, without_gates=("lint",))) if entry is first else entry
        for entry in queue.entries
    )
    results = tuple(GateResult(name=name, passed=True, seconds=1) for name in ("lint", "test"))
    report = GateReport(commit=last.candidate, results=results)
    verified = landing_facts.CandidateVerified(at=9, request=last.request.key, report=report)
    chain = fold_queue(replace(queue, entries=entries), verified).chain
    names = [[result.name for result in entry.report.results] if entry.report else [] for entry in chain]
    assert (names[0], names[-1]) == (["test"], ["lint", "test"])
