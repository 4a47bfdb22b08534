"""Certificates as they are found in the history, carried in files, and held against a repository afterwards."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from shiftwork.app.commands.rerun_gates import fail_to_pass_held, gates_held, of_spec, restored_held, unchanged
from shiftwork.app.landing.fail_to_pass import Trial
from shiftwork.app.runtime.streams import read
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, RunId, StoryId, run_stream, story_stream
from shiftwork.domain.core.plain import from_plain
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.proof.attestation import attested, named
from shiftwork.domain.proof.case import Case
from shiftwork.domain.proof.certificate import Certificate, Held
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.proof.evidence import judge, sought, step_gates, suffices
from shiftwork.domain.proof.verdict import Findings, Judged, Verdict
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion
from shiftwork.domain.story.certify import FORMAT, digest, plain
from shiftwork.domain.story.facts.certificate import StoryCertified
from shiftwork.domain.story.facts.landing import LandingRequested
from shiftwork.domain.story.facts.lifecycle import StoryStarted
from shiftwork.domain.tampering.findings import NOTHING_TOUCHED, Inspection, Protection
from shiftwork.errors import RepositoryError, UsageError
from shiftwork.ports.changes import Witness
from shiftwork.ports.protecting import Protecting
from shiftwork.ports.store import EventStore
from shiftwork.ports.workspace import Gates


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A certificate with the digest that is claimed for it."""

    certificate: Certificate
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What the history here says of a story: whether it knows the run, the certificate that it has, what the certified
    work did to tests, whether the story may have changed nothing, and the gates of the run's spec.
    """

    run: bool = False
    paper: Paper | None = None
    inspection: Inspection | None = None
    may_be_empty: bool = False
    gates: tuple[Gate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a certificate is held against: `gates` run again; `configured` and `protection` are of the settings. The
    user `trusts` what the certificate itself would have run, or has not been asked.
    """

    witness: Witness
    protecting: Protecting
    gates: Gates
    configured: tuple[Gate, ...]
    memory: Memory = Memory()
    trusts: bool = False
    protection: Protection = Protection()


async def recorded(events: EventStore, run: RunId, story: StoryId) -> Paper | None:
    """The last certificate in the story's history."""
    return _last(await read(events, story_stream(run, story), 0, None))


async def remembered(events: EventStore, run: RunId, story: StoryId) -> Memory:
    facts = await read(events, story_stream(run, story), 0, None)
    begun = [fact.assignment for fact in facts if isinstance(fact, StoryStarted)]
    return Memory(
        run=bool(await read(events, run_stream(run), 0, None)),
        paper=_last(facts),
        inspection=_inspected(facts),
        may_be_empty=any(given.story.may_be_empty for given in begun),
        gates=tuple(gate for given in begun for gate in given.gates),
    )


def _last(facts: Sequence[Fact]) -> Paper | None:
    found = [fact for fact in facts if isinstance(fact, StoryCertified)]
    return Paper(certificate=found[-1].certificate, sha256=found[-1].sha256) if found else None


def _inspected(facts: Sequence[Fact]) -> Inspection | None:
    """As it was told with the last request before the last certificate."""
    certified = None
    asked = NOTHING_TOUCHED
    for fact in facts:
        if isinstance(fact, LandingRequested):
            asked = fact.inspection
        elif isinstance(fact, StoryCertified):
            certified = asked
    return certified


def document(paper: Paper) -> dict[str, Any]:
    return {"format": FORMAT, "sha256": paper.sha256, "certificate": plain(paper.certificate)}


def from_document(text: str) -> Paper:
    """The paper in a file; raises UsageError where it is none."""
    try:
        given = json.loads(text, object_pairs_hook=_once)
        if given["format"] != FORMAT or given.keys() != {"format", "sha256", "certificate"}:
            raise ValueError(f"its format is not {FORMAT}")  # noqa: TRY301 - one answer to all that may be wrong
        certificate = from_plain(Certificate, given["certificate"])
        if plain(certificate) != given["certificate"]:
            raise ValueError("it says more than a certificate does")  # noqa: TRY301 - as above
        return Paper(certificate=certificate, sha256=str(given["sha256"]))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        hint = "shiftwork proof STORY --out FILE writes one"
        raise UsageError(f"this is not a certificate: {error}", hint=hint) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of a key that is there twice, a reader may see the one and a program the other."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("it says something twice")
    return found


async def verify(paper: Paper, bench: Bench) -> tuple[Held, ...]:
    """Hold every word of the certificate against the repository. Nothing is believed because it was written down: the
    gates and verification steps run again, and the evidence is judged anew. What only the history could say, and it
    does not know the run, is told as not checked.
    """
    said = paper.certificate
    own = (_digest(paper), _history(said, bench.memory))
    if not all(_COMMIT.fullmatch(one) for one in (said.commit, said.base)):
        return (*own, Held(name="commit", passed=False, told="a commit is named by all of its digits"))
    try:
        parents, message = await bench.witness.told(said.commit)
        case = _case(said)
        wanted = sought(case)
        found = await bench.witness.look(said.base, said.commit, wanted.paths, wanted.names)
    except RepositoryError as error:
        return (*own, Held(name="commit", passed=False, told=error.message))
    branch = await bench.witness.branch_with(said.commit, said.ref)
    revert = await bench.witness.taken_back(said.commit, branch) if branch else Commit("")
    tree = found.tree == said.tree
    commit = (
        Held(name="tree", passed=tree, told=found.tree if tree else f"{found.tree}, not {said.tree}"),
        _branch(said, branch, bench.memory),
        *_standing(revert),
        *_place(said, parents, message, bench.memory),
    )
    known = _is_known(said, bench.memory)
    unknown = () if known else (*attested(said, message), *_unchecked(said))
    of_the_spec = of_spec(said, bench.memory.gates, trusts=bench.trusts)
    again = (*unchanged(said, bench.configured), *of_the_spec)
    steps = step_gates(said.story, case)
    report = await bench.gates.check(said.commit, (*again, *steps), f"{said.run}/{said.story}/proof")
    inspection = bench.memory.inspection if known else None
    restored = await restored_held(said, again, inspection, bench.protecting, bench.gates)
    tests, without = await fail_to_pass_held(said, _trial(said, case, again, bench), bench)
    gates = (*gates_held(said, report, bench.configured), *restored, *without)
    judged = replace(report, fail_to_pass=tests)
    return (*own, *commit, *unknown, *gates, *_evidence(said, case, found, judged, known=known))


def _trial(said: Certificate, case: Case, gates: tuple[Gate, ...], bench: Bench) -> Trial:
    return Trial(
        base=said.base,
        commit=said.commit,
        gates=gates,
        protection=bench.protection,
        case=case,
        marker=f"{said.run}/{said.story}/proof",
        landed=said.commit,
    )


_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def _digest(paper: Paper) -> Held:
    actual = digest(paper.certificate)
    intact = actual == paper.sha256
    return Held(name="digest", passed=intact, told=actual if intact else f"it is {actual}, not {paper.sha256}")


def _is_known(said: Certificate, memory: Memory) -> bool:
    """Whether the history has this very certificate: then all that it says is known from there."""
    return memory.paper is not None and digest(memory.paper.certificate) == digest(said)


def _history(said: Certificate, memory: Memory) -> Held:
    if _is_known(said, memory):
        return Held(name="history", passed=True, told="the history says the same")
    if memory.paper:
        return Held(name="history", passed=False, told="the history says otherwise")
    if memory.run:
        told = f"the history knows the run {said.run}, and of a landed story {said.story} in it nothing"
        return Held(name="history", passed=False, told=told)
    return Held(name="history", passed=None, told=f"the history here knows nothing of the run {said.run}")


def _branch(said: Certificate, branch: str, memory: Memory) -> Held:
    """People merge the branch and delete it: that the commit was ever on one of that name only the history can say."""
    commit, name = said.commit[:12], branch.removeprefix("refs/heads/").removeprefix("refs/remotes/")
    if not branch or branch == f"refs/heads/{said.ref}":
        return Held(name="branch", passed=bool(branch), told=f"{commit} is {'' if branch else 'not '}on {said.ref}")
    told = f"there is no branch {said.ref} any more; {commit} is on {name}"
    return Held(name="branch", passed=_history(said, memory).passed, told=told)


def _standing(revert: Commit) -> Iterator[Held]:
    """By the branch and not by the history: whoever reverts by hand, or reverts the revert, tells git alone."""
    if revert:
        told = f"the work was taken back by {revert[:12]}: what the certificate says was so, and is not there any more"
        yield Held(name="standing", passed=False, told=told)


def _place(said: Certificate, parents: Sequence[Commit], message: str, memory: Memory) -> Iterator[Held]:
    """A story that changed nothing has no commit of its own: that it may, only the history can say."""
    if said.commit != said.base:
        stands = said.base in parents
        yield Held(name="commit", passed=stands, told=f"stands {'' if stands else 'not '}on {said.base[:12]}")
        yield named(said, message)
        return
    allowed = memory.may_be_empty and _is_known(said, memory)
    why = "as the history says that it may" if allowed else "and no history here says that it may"
    yield Held(name="commit", passed=allowed, told=f"the story has changed nothing, {why}")


def _unchecked(said: Certificate) -> Iterator[Held]:
    """What no commit tells."""
    yield Held(name="work", passed=None, told="attempts, agents, models, repairs, conflicts, tokens and cost")
    if said.gates:
        yield Held(name="times", passed=None, told="how long gates took, and which passed only at the second try")
    if any(line.command for line in said.gates):
        yield Held(
            name="commands", passed=None, told="by which commands the gates passed: the commit names gates alone"
        )
    if files := ", ".join(dict.fromkeys(line.origin for line in said.gates if line.origin)):
        yield Held(name="checks", passed=None, told=f"whether {files} named the checks that are said to be its own")
    if said.verification:
        yield Held(name="steps", passed=None, told="whether these verification steps are what was asked for")
    if said.vouched:
        yield Held(name="vouched", passed=None, told=f"whether a person has said: {said.vouched}")


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


def _evidence(said: Certificate, case: Case, found: Findings, report: GateReport, *, known: bool) -> Iterator[Held]:
    again = judge(said.story, case, found, report).criteria
    for before, now in zip(said.criteria, again, strict=True):
        held = _judged_again(said.policy, before, now)
        unknown = held.passed and now.verdict is Verdict.VOUCHED and not known
        yield replace(held, passed=None) if unknown else held


def _judged_again(policy: ProofPolicy, before: Judged, now: Judged) -> Held:
    name, same = f"evidence {before.criterion}", before.verdict is now.verdict
    told = f"{now.verdict}: {now.why}" if same else f"now {now.verdict} ({now.why}), not {before.verdict}"
    if same and not suffices(policy, now.verdict):
        return Held(name=name, passed=False, told=f"{told}; the policy {policy} asks for more")
    if same and now.verdict in {Verdict.MISSING, Verdict.FALSE}:
        told = f"{now.why}, as the certificate says; the policy {policy} does not ask for it"
    return Held(name=name, passed=same, told=told)
