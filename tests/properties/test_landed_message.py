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
from shiftwork.domain.proof.commit_trailers import PROOF, trailer
from shiftwork.domain.proof.verdict import Judged, ProofReport, Verdict
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion
from shiftwork.domain.text.readable import readable
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
gates = st.builds(
    GateResult, name=st.text(min_size=1, max_size=8), passed=st.just(True), seconds=st.just(1.0), blind=st.booleans()
)
SHOWN = {Verdict.HOLDS, Verdict.CONFIRMED}


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


def _on_one_line(text: str) -> str:
    return " ".join(text.replace("\0", "").split()).encode(errors="replace").decode()


@given(landings())
@QUICK
def test_only_what_has_evidence_is_listed_with_it_and_only_what_is_proved_is_called_so(
    landing: tuple[Entry, Certificate],
) -> None:
    entry, said = landing
    report = entry.report
    assert report
    saw = any(not result.blind for result in report.results)
    good = [criterion for criterion in said.criteria if criterion.verdict in SHOWN]
    bad = [criterion for criterion in said.criteria if criterion not in good]
    message = written(entry)
    wanted = [(head, some) for head, some in (("With evidence:", good), ("Without evidence:", bad)) if some]
    above = message.rstrip().split("\n\n")[:-1]
    found = [part.split("\n") for part in above[len(above) - len(wanted) :]]
    assert [(head, len(entries)) for head, *entries in found] == [(head, len(some)) for head, some in wanted]
    if bad:
        entries = [readable(f"- {_on_one_line(item.text) or item.criterion}") for item in bad]
        assert all(line.startswith(entry) for line, entry in zip(found[-1][1:], entries, strict=True))
    is_proved = saw and bool(said.criteria) and len(good) == len(said.criteria)
    assert (trailer(message, PROOF) == "proved") == is_proved


@given(landings())
@QUICK
def test_the_certificate_of_what_landed_is_attested_by_its_commit(landing: tuple[Entry, Certificate]) -> None:
    entry, said = landing
    message = written(entry)
    assert named(said, message).passed
    assert {held.name: held.passed for held in attested(said, message)} == dict.fromkeys(
        ("title", "criteria", "gates", "policy", "proof"), True
    )


@given(landings(), st.data())
@QUICK
def test_a_certificate_that_claims_evidence_which_was_not_there_is_not(
    landing: tuple[Entry, Certificate], data: st.DataObject
) -> None:
    entry, said = landing
    missing = [place for place, criterion in enumerate(said.criteria) if criterion.verdict not in SHOWN]
    if not missing:
        return
    place = data.draw(st.sampled_from(missing))
    better = replace(said.criteria[place], verdict=Verdict.HOLDS)
    lie = replace(said, criteria=(*said.criteria[:place], better, *said.criteria[place + 1 :]))
    held = {check.name: check.passed for check in attested(lie, written(entry))}
    assert held["criteria"] is False
    assert held["policy"] is False
