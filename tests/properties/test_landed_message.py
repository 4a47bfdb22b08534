"""A landed commit claims no more than was requested and found, and its certificate says the same."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import GateReport, GateResult, gate_name
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.landing.commit_message import landed_message
from shiftwork.domain.landing.state import Entry
from shiftwork.domain.proof.attestation import attested, named
from shiftwork.domain.proof.case import Case
from shiftwork.domain.proof.certificate import Certificate, GateLine, VerifiedLine
from shiftwork.domain.proof.commit_trailers import RUN, UNPROVED, trailer, trailers
from shiftwork.domain.proof.verdict import Judged, ProofReport, Verdict
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion
from shiftwork.domain.usage.usage import Usage
from shiftwork.testing.builders import landing_request
from shiftwork.testing.strategies import QUICK

NASTY = (
    "With evidence:",
    "Without evidence:",
    "- it holds (test t)",
    "Shiftwork-Proof: proved",
    "\n\n",
    "\n",
    "\x85",
    "",
)
texts = st.one_of(st.text(max_size=20), st.lists(st.sampled_from(NASTY), max_size=4).map("\n".join))
judged = st.builds(
    Judged,
    criterion=st.text("AC-123", min_size=1, max_size=4),
    text=texts,
    kind=st.sampled_from(["", "test", "citation", "verification"]),
    reference=texts,
    verdict=st.sampled_from([*Verdict]),
    why=texts,
)
names = st.one_of(st.text(min_size=1, max_size=8), st.sampled_from(["\x90", "a\x9b", "\t", "a "]))
gates = st.builds(GateResult, name=names, passed=st.just(True), seconds=st.just(1.0), blind=st.booleans())


@st.composite
def landings(draw: st.DrawFn) -> tuple[Entry, Certificate]:
    """What the queue knows when it moves the branch, and the certificate that is made of the same."""
    criteria, results = tuple(draw(st.lists(judged, max_size=4))), tuple(draw(st.lists(gates, max_size=3)))
    steps = tuple(Verification(id=f"VS-{n}", kind=VerificationKind.SHELL) for n in range(draw(st.integers(0, 2))))
    policy = draw(st.sampled_from([*ProofPolicy]))
    asked = tuple(Criterion(id=criterion.criterion, text=criterion.text) for criterion in criteria)
    case = Case(policy=policy, criteria=asked, verification=steps)
    request = replace(landing_request(), title="Add it", body=draw(texts), case=case)
    own = tuple(GateResult(name=gate_name(request.story, step.id), passed=True, seconds=1) for step in steps)
    commit = Commit("c")
    entry = Entry(
        request=request,
        report=GateReport(commit=commit, results=(*results, *own)),
        proof=ProofReport(commit=commit, tree="t", policy=policy, criteria=criteria),
    )
    certificate = Certificate(
        run=request.run,
        story=request.story,
        title=request.title,
        ref="main",
        commit=commit,
        base=Commit("b"),
        tree="t",
        policy=policy,
        criteria=criteria,
        gates=tuple(GateLine(name=result.name, seconds=1, blind=result.blind) for result in results),
        verification=tuple(VerifiedLine(step=step, seconds=1) for step in steps),
        steps=(),
        repairs=0,
        conflicts=0,
        usage=Usage(),
    )
    return entry, certificate


def written(entry: Entry) -> str:
    """As it comes back from git."""
    return landed_message(entry).replace("\0", "").strip().encode(errors="replace").decode() + "\n"


@given(landings())
@QUICK
def test_a_message_says_what_is_not_proved_in_its_trailers_and_nowhere_else(
    landing: tuple[Entry, Certificate],
) -> None:
    entry, said = landing
    message = written(entry)
    assert trailer(message, RUN) == f"{said.run}/{said.story}"
    saw = bool(said.verification) or any(not gate.blind for gate in said.gates)
    refuted = any(criterion.verdict is Verdict.FALSE for criterion in said.criteria)
    if not saw or refuted:
        assert trailers(message, UNPROVED)
    above = message.rstrip().rpartition("\n\n")[0]
    assert not [line for line in above.splitlines() if line.startswith("Shiftwork-")]


@given(landings())
@QUICK
def test_the_certificate_of_what_landed_is_attested_by_its_commit(landing: tuple[Entry, Certificate]) -> None:
    entry, said = landing
    message = written(entry)
    assert named(said, message).passed
    assert {held.name: held.passed for held in attested(said, message)} == {
        "title": True,
        "not proved": True,
        "criteria": None,
        "gates": None,
    }


@given(landings())
@QUICK
def test_a_certificate_that_is_silent_about_what_is_not_proved_is_not(landing: tuple[Entry, Certificate]) -> None:
    entry, said = landing
    message = written(entry)
    lie = replace(said, criteria=(), gates=(GateLine(name="lint", seconds=1),))
    held = {check.name: check.passed for check in attested(lie, message)}
    assert held["not proved"] is not bool(trailers(message, UNPROVED))
