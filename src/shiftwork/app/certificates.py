"""Certificates as they are found in the history, carried in files, and held against a repository afterwards."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shiftwork.app.kinds import read
from shiftwork.domain.model.certificate import Certificate
from shiftwork.domain.model.codec import from_plain, to_plain
from shiftwork.domain.model.gate import Gate, GateReport
from shiftwork.domain.model.ids import RunId, StoryId, story_stream
from shiftwork.domain.model.proof import Findings, Judged, ProofPolicy, Verdict
from shiftwork.domain.model.proof_facts import StoryCertified
from shiftwork.domain.model.queue import Case
from shiftwork.domain.model.spec import Criterion
from shiftwork.domain.model.story import Evidence
from shiftwork.domain.rules.certifying import FORMAT, digest
from shiftwork.domain.rules.evidence import judge, sought, step_gates
from shiftwork.errors import RepositoryError, UsageError
from shiftwork.ports.changes import Witness
from shiftwork.ports.store import EventStore
from shiftwork.ports.workspace import Gates


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A certificate with the digest that is claimed for it."""

    certificate: Certificate
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a certificate is held against: `gates` are run anew, `configured` are those of the settings, and `known` is
    what the history here says of the story, if anything.
    """

    witness: Witness
    gates: Gates
    configured: tuple[Gate, ...]
    known: Paper | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One thing that was looked at again."""

    name: str
    passed: bool
    told: str


async def recorded(events: EventStore, run: RunId, story: StoryId) -> Paper | None:
    """The last certificate in the story's history."""
    facts = await read(events, story_stream(run, story), 0, None)
    found = [fact for fact in facts if isinstance(fact, StoryCertified)]
    return Paper(certificate=found[-1].certificate, sha256=found[-1].sha256) if found else None


def document(paper: Paper) -> dict[str, Any]:
    return {"format": FORMAT, "sha256": paper.sha256, "certificate": to_plain(paper.certificate)}


def from_document(text: str) -> Paper:
    """The paper in a file; raises UsageError where it is none."""
    try:
        given = json.loads(text)
        if given["format"] != FORMAT or given.keys() != {"format", "sha256", "certificate"}:
            raise ValueError(f"its format is not {FORMAT}")  # noqa: TRY301 - one answer to all that may be wrong
        certificate = from_plain(Certificate, given["certificate"])
        if to_plain(certificate) != given["certificate"]:
            raise ValueError("it says more than a certificate does")  # noqa: TRY301 - as above
        return Paper(certificate=certificate, sha256=str(given["sha256"]))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        hint = "shiftwork proof STORY --out FILE writes one"
        raise UsageError(f"this is not a certificate: {error}", hint=hint) from error


async def verify(paper: Paper, bench: Bench) -> tuple[Held, ...]:
    """Hold every word of the certificate against the repository. Nothing is believed because it was written down: the
    gates and verification steps run again, and the evidence is judged anew.
    """
    said = paper.certificate
    own = _own(paper, bench)
    try:
        parents, message = await bench.witness.told(said.commit)
        case = _case(said)
        wanted = sought(case)
        found = await bench.witness.look(said.base, said.commit, wanted.paths, wanted.names)
    except RepositoryError as error:
        return (*own, Held(name="commit", passed=False, told=error.message))
    on_ref = await bench.witness.is_on(said.commit, said.ref)
    there = Held(name="branch", passed=on_ref, told=f"{said.commit[:12]} is {'' if on_ref else 'not '}on {said.ref}")
    stands = said.commit == said.base or said.base in parents
    tree = found.tree == said.tree
    commit = (
        Held(name="commit", passed=stands, told=f"stands {'' if stands else 'not '}on {said.base[:12]}"),
        Held(name="tree", passed=tree, told=found.tree if tree else f"{found.tree}, not {said.tree}"),
        there,
        _trailers(said, message),
    )
    report = await _run_again(said, case, bench)
    return (*own, *commit, *_gates(said, report, bench), *_evidence(said, case, found, report))


def _own(paper: Paper, bench: Bench) -> Iterator[Held]:
    actual = digest(paper.certificate)
    intact = actual == paper.sha256
    yield Held(name="digest", passed=intact, told=actual if intact else f"it is {actual}, not {paper.sha256}")
    if bench.known:
        same = bench.known.sha256 == actual
        yield Held(
            name="history", passed=same, told="the history says the same" if same else "the history says otherwise"
        )


def _trailers(said: Certificate, message: str) -> Held:
    wanted = {f"Shiftwork-Run: {said.run}", f"Shiftwork-Story: {said.story}"}
    named = said.commit == said.base or wanted <= set(message.splitlines())
    told = "the commit names the run and the story" if named else "the commit does not name this run and story"
    return Held(name="trailers", passed=named, told=told)


def _case(said: Certificate) -> Case:
    return Case(
        policy=said.policy,
        criteria=tuple(Criterion(id=one.criterion, text=one.text) for one in said.criteria),
        evidence=tuple(_claim(one) for one in said.criteria if one.kind),
        verification=tuple(line.step for line in said.verification),
        vouched=said.vouched,
    )


def _claim(one: Judged) -> Evidence:
    return Evidence(criterion=one.criterion, kind=one.kind, reference=one.reference)


async def _run_again(said: Certificate, case: Case, bench: Bench) -> GateReport:
    """The gates by the commands of the settings: a certificate has names, and no say in what is run under them."""
    names = {line.name for line in said.gates}
    gates = [gate for gate in bench.configured if gate.name in names]
    marker = f"{said.run}/{said.story}/proof"
    return await bench.gates.check(said.commit, (*gates, *step_gates(said.story, case)), marker)


def _gates(said: Certificate, report: GateReport, bench: Bench) -> Iterator[Held]:
    known = {gate.name for gate in bench.configured}
    for name in dict.fromkeys(line.name for line in said.gates):
        if name not in known:
            yield Held(name=f"gate {name}", passed=False, told="the settings have no such gate any more")
    for result in report.results:
        told = f"passed in {result.seconds:.1f} s" if result.passed else f"failed: {result.output}"
        yield Held(name=f"gate {result.name}", passed=result.passed, told=told)


def _evidence(said: Certificate, case: Case, found: Findings, report: GateReport) -> Sequence[Held]:
    again = judge(said.story, case, found, report).criteria
    return [_judged_again(said.policy, before, now) for before, now in zip(said.criteria, again, strict=True)]


def _judged_again(policy: ProofPolicy, before: Judged, now: Judged) -> Held:
    same = before.verdict is now.verdict
    told = f"{now.verdict}: {now.why}" if same else f"now {now.verdict} ({now.why}), not {before.verdict}"
    if same and now.verdict in {Verdict.MISSING, Verdict.FALSE}:
        told = f"{now.why}, as the certificate says; the policy {policy} does not ask for it"
    return Held(name=f"evidence {before.criterion}", passed=same, told=told)
