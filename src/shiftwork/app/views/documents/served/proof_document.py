"""The proof of one story as a document: its criteria, its gates, and what its tests have shown."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from shiftwork.app.views.documents.commands.result_documents import StoryProof
from shiftwork.app.views.documents.document import Document
from shiftwork.app.views.report.event_sentences import finding
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.proof import fail_to_pass
from shiftwork.domain.proof.certificate import Certificate
from shiftwork.domain.proof.proof_status import status_by
from shiftwork.domain.proof.proof_words import words
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.facts import LandingRequested, StoryCertified
from shiftwork.domain.story.state import StoryState, StoryStatus
from shiftwork.domain.tampering.findings import Finding
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCriterion:
    """A criterion, the evidence that was offered for it, and the verdict; null until the story lands."""

    criterion: str
    text: str
    kind: str
    reference: str
    verdict: str | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedGate:
    """A gate that passed on the landed commit. The canary found a `blind` one: it does not notice broken sources."""

    name: str
    command: str
    duration_seconds: float
    flaky: bool
    restored: bool
    blind: bool
    origin: str
    forgeable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedVerification:
    """A check of the spec that passed on the landed commit."""

    criterion: str
    name: str
    command: str
    duration_seconds: float
    forgeable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedTestLine:
    """A test that was offered as evidence, and how it ended without the change of the story."""

    reference: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofOfStory(StoryProof, Document):
    """What proves a story. Of one that has not landed, the criteria and the evidence that is offered so far. `command`
    checks the certificate again; `fail_to_pass` says whether the changed tests fail without the change.
    """

    SCHEMA: ClassVar[str] = "story-proof"

    run: str
    story: str
    title: str
    landed: bool
    undone: bool
    commit: str
    base: str
    ref: str
    tree: str
    policy: str
    sha256: str
    command: str
    criteria: Sequence[CheckedCriterion]
    gates: Sequence[PassedGate]
    verification: Sequence[PassedVerification]
    fail_to_pass: str
    named_tests: Sequence[NamedTestLine]
    touched_tests: Sequence[str]
    without_gates: Sequence[str]
    not_needed: Sequence[str]
    excused: Sequence[str]
    unmeasured: Sequence[str]
    skipped_steps: Sequence[str]
    left_out_files: Sequence[str]
    confirmed: str
    repair_count: int
    conflict_count: int


_CERTIFIED: Final = frozenset({StoryStatus.COMPLETED, StoryStatus.UNDONE})
"""A story that was undone and started again has nothing that proves its new work."""


def proof_document(run: RunId, asked: Story, state: StoryState, facts: Sequence[Fact]) -> ProofOfStory:
    """From the story in the spec, its state, and its facts."""
    certified = [fact for fact in facts if isinstance(fact, StoryCertified) and state.status in _CERTIFIED]
    touched = [finding(found, str) for found in _findings(facts)]
    if not certified:
        return _open(run, asked, state, touched)
    said = certified[-1].certificate
    status = status_by(said)
    return ProofOfStory(
        run=run,
        story=asked.id,
        title=said.title,
        landed=True,
        undone=state.status is StoryStatus.UNDONE,
        commit=said.commit,
        base=said.base,
        ref=said.ref,
        tree=said.tree,
        policy=said.policy,
        sha256=certified[-1].sha256,
        command=verify_command(run, asked.id),
        criteria=[
            CheckedCriterion(
                criterion=judged.criterion,
                text=judged.text,
                kind=judged.kind,
                reference=judged.reference,
                verdict=judged.verdict.value,
                why=judged.why,
            )
            for judged in said.criteria
        ],
        gates=list(_gates(said)),
        verification=list(_verification(said)),
        fail_to_pass=fail_to_pass.in_words(said.fail_to_pass) if said.fail_to_pass else "",
        named_tests=[
            NamedTestLine(reference=test.reference, status=test.state.value)
            for test in (said.fail_to_pass.tests if said.fail_to_pass else ())
        ],
        touched_tests=touched,
        without_gates=said.without_gates,
        not_needed=[f"{gate.name}: {gate.reason}" for gate in said.not_needed],
        excused=[f"{gate.name}: {gate.reason}" for gate in said.excused],
        unmeasured=said.unmeasured,
        skipped_steps=said.skipped,
        left_out_files=said.left_out,
        confirmed=said.confirmed,
        repair_count=said.repairs,
        conflict_count=said.conflicts,
        proof=status.level,
        proof_remark=status.remark,
        proof_text=words(status),
        criteria_shown=status.shown,
        criteria_total=status.criteria,
    )


def verify_command(run: RunId, story: StoryId) -> str:
    return f"shiftwork proof {story} --run {run} --verify"


def _open(run: RunId, asked: Story, state: StoryState, touched: Sequence[str]) -> ProofOfStory:
    """Of a story that has not landed."""
    offered = {evidence.criterion: evidence for evidence in state.dialogue.evidence}
    repairs, conflicts = state.landing.attempts_at_repair
    return ProofOfStory(
        run=run,
        story=asked.id,
        title=asked.title,
        landed=False,
        undone=False,
        commit="",
        base="",
        ref="",
        tree="",
        policy=state.assignment.proof if state.assignment else "",
        sha256="",
        command="",
        criteria=[
            CheckedCriterion(
                criterion=criterion.id,
                text=criterion.text,
                kind=offered[criterion.id].kind if criterion.id in offered else "",
                reference=offered[criterion.id].reference if criterion.id in offered else "",
                verdict=None,
                why="",
            )
            for criterion in asked.criteria
        ],
        gates=(),
        verification=(),
        fail_to_pass="",
        named_tests=(),
        touched_tests=touched,
        without_gates=(),
        not_needed=(),
        excused=(),
        unmeasured=(),
        skipped_steps=(),
        left_out_files=(),
        confirmed="",
        repair_count=repairs,
        conflict_count=conflicts,
        proof="",
        proof_remark="",
        proof_text="",
        criteria_shown=0,
        criteria_total=len(asked.criteria),
    )


def _findings(facts: Sequence[Fact]) -> Sequence[Finding]:
    """What the story changed in tests and gate configuration, as its last landing request says."""
    asked = [fact for fact in facts if isinstance(fact, LandingRequested)]
    return asked[-1].inspection.findings if asked else ()


def _gates(said: Certificate) -> Iterator[PassedGate]:
    for gate in said.gates:
        yield PassedGate(
            name=gate.name,
            command=gate.command,
            duration_seconds=gate.seconds,
            flaky=gate.flaky,
            restored=gate.restored,
            blind=gate.blind,
            origin=gate.origin,
            forgeable=gate.forgeable,
        )


def _verification(said: Certificate) -> Iterator[PassedVerification]:
    for line in said.verification:
        step = line.step
        yield PassedVerification(
            criterion=step.id,
            name=step.name,
            command=step.action,
            duration_seconds=line.seconds,
            forgeable=line.forgeable,
        )
