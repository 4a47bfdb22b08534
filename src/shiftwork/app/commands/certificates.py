"""Reads certificates from the history and from files, and verifies them against a repository."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from shiftwork.app.commands.rerun_gates import fail_to_pass_held, gates_held, of_spec, restored_held, unchanged
from shiftwork.app.folds import read
from shiftwork.app.landing.fail_to_pass import Trial
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, RunId, StoryId, run_stream, story_stream
from shiftwork.domain.core.plain import from_plain
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.proof.attestation import attested, named
from shiftwork.domain.proof.case import Case
from shiftwork.domain.proof.certificate import Certificate, Held
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.proof.evidence import judge, sought, steps_to_run, suffices
from shiftwork.domain.proof.verdict import Findings, Judged, Verdict
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion
from shiftwork.domain.story.certify import FORMAT, digest, plain
from shiftwork.domain.story.facts.certificate import StoryCertified
from shiftwork.domain.story.facts.landing import LandingRequested
from shiftwork.domain.story.facts.lifecycle import StoryStarted
from shiftwork.domain.tampering.findings import NOTHING_TOUCHED, Inspection, Protection
from shiftwork.errors import RepositoryError, UsageError
from shiftwork.ports.changes import CommitInspector
from shiftwork.ports.protecting import Protecting
from shiftwork.ports.store import History
from shiftwork.ports.workspace import Gates
from shiftwork.records import dataclass, replace
from shiftwork.regexes import regex


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A certificate with its claimed digest."""

    certificate: Certificate
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What the local history knows about a story: whether it has the run, its last certificate, what the certified work
    did to tests, whether the story may land without changes, and the gates of the run's spec.
    """

    run: bool = False
    paper: Paper | None = None
    inspection: Inspection | None = None
    may_be_empty: bool = False
    gates: tuple[Gate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What verification needs. `gates` runs gates again; `configured` and `protection` are from the settings.
    `trusts`: the user allows commands from the certificate itself to run.
    """

    inspector: CommitInspector
    protecting: Protecting
    gates: Gates
    configured: tuple[Gate, ...]
    memory: Memory = Memory()
    trusts: bool = False
    protection: Protection = Protection()


async def recorded(events: History, run: RunId, story: StoryId) -> Paper | None:
    """Returns the last certificate in the story's history."""
    return _last(await read(events, story_stream(run, story), 0, None))


async def remembered(events: History, run: RunId, story: StoryId) -> Memory:
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
    """Returns the inspection of the last landing request before the last certificate."""
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
    """Reads a certificate from a file's text; raises UsageError if it is not valid."""
    try:
        given = json.loads(text, object_pairs_hook=_once)
        if given["format"] != FORMAT or given.keys() != {"format", "sha256", "certificate"}:
            raise ValueError(f"its format is not {FORMAT}")  # noqa: TRY301 - one error for all problems
        certificate = from_plain(Certificate, given["certificate"])
        if plain(certificate) != given["certificate"]:
            raise ValueError("it has more fields than a certificate")  # noqa: TRY301 - as above
        return Paper(certificate=certificate, sha256=str(given["sha256"]))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        hint = "shiftwork proof STORY --out FILE writes one"
        raise UsageError(f"this is not a certificate: {error}", hint=hint) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Rejects duplicate keys: a reader and a program might see different values."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("it has the same key twice")
    return found


async def verify(paper: Paper, bench: Bench) -> tuple[Held, ...]:
    """Checks the whole certificate against the repository: the gates and verification steps run again, and the
    evidence is judged again. Items that only the history can confirm are reported as not checked if it does not have
    the run.
    """
    said = paper.certificate
    own = (_digest(paper), _history(said, bench.memory))
    if not all(_COMMIT.fullmatch(item) for item in (said.commit, said.base)):
        return (*own, Held(name="commit", passed=False, message="a commit must be named by its full hash"))
    try:
        parents, message = await bench.inspector.parents_and_message(said.commit)
        case = _case(said)
        wanted = sought(case)
        found = await bench.inspector.look(said.base, said.commit, wanted.paths, wanted.names)
    except RepositoryError as error:
        return (*own, Held(name="commit", passed=False, message=error.message))
    branch = await bench.inspector.branch_with(said.commit, said.ref)
    revert = await bench.inspector.revert_of(said.commit, branch) if branch else Commit("")
    tree = found.tree == said.tree
    commit = (
        Held(name="tree", passed=tree, message=found.tree if tree else f"{found.tree}, not {said.tree}"),
        _branch(said, branch, bench.memory),
        *_reverted(revert),
        *_place(said, parents, message, bench.memory),
    )
    known = _is_known(said, bench.memory)
    unknown = () if known else (*attested(said, message), *_unchecked(said))
    of_the_spec = of_spec(said, bench.memory.gates, trusts=bench.trusts)
    again = (*unchanged(said, bench.configured), *of_the_spec)
    steps = steps_to_run(said.story, case, again)
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


_COMMIT: Final = regex(r"[0-9a-f]{40}|[0-9a-f]{64}")


def _digest(paper: Paper) -> Held:
    actual = digest(paper.certificate)
    intact = actual == paper.sha256
    return Held(name="digest", passed=intact, message=actual if intact else f"it is {actual}, not {paper.sha256}")


def _is_known(said: Certificate, memory: Memory) -> bool:
    """Whether the history has exactly this certificate, so that its contents are confirmed."""
    return memory.paper is not None and digest(memory.paper.certificate) == digest(said)


def _history(said: Certificate, memory: Memory) -> Held:
    if _is_known(said, memory):
        return Held(name="history", passed=True, message="the history has the same certificate")
    if memory.paper:
        return Held(name="history", passed=False, message="the history has a different certificate")
    if memory.run:
        message = f"the history has the run {said.run}, but no landed story {said.story} in it"
        return Held(name="history", passed=False, message=message)
    return Held(name="history", passed=None, message=f"the history here does not have the run {said.run}")


def _branch(said: Certificate, branch: str, memory: Memory) -> Held:
    """The branch may be merged and deleted: then only the history knows that the commit was on it."""
    commit, name = said.commit[:12], branch.removeprefix("refs/heads/").removeprefix("refs/remotes/")
    if not branch or branch == f"refs/heads/{said.ref}":
        return Held(name="branch", passed=bool(branch), message=f"{commit} is {'' if branch else 'not '}on {said.ref}")
    message = f"the branch {said.ref} no longer exists; {commit} is on {name}"
    return Held(name="branch", passed=_history(said, memory).passed, message=message)


def _reverted(revert: Commit) -> Iterator[Held]:
    """Checks the branch, because only git knows about manual reverts, or reverts of a revert."""
    if revert:
        message = (
            f"the work was reverted by {revert[:12]}: the certificate was correct, but the work is no longer there"
        )
        yield Held(name="revert", passed=False, message=message)


def _place(said: Certificate, parents: Sequence[Commit], message: str, memory: Memory) -> Iterator[Held]:
    """A story that changed nothing has no own commit: only the history knows whether that was allowed."""
    if said.commit != said.base:
        stands = said.base in parents
        yield Held(name="commit", passed=stands, message=f"is {'' if stands else 'not '}based on {said.base[:12]}")
        yield named(said, message)
        return
    allowed = memory.may_be_empty and _is_known(said, memory)
    why = "as the history allows" if allowed else "and no history here allows that"
    yield Held(name="commit", passed=allowed, message=f"the story has changed nothing, {why}")


def _unchecked(said: Certificate) -> Iterator[Held]:
    """Lists what a commit alone cannot confirm."""
    yield Held(name="work", passed=None, message="attempts, agents, models, repairs, conflicts, tokens and cost")
    if said.gates:
        yield Held(name="times", passed=None, message="how long gates took, and which passed only at the second try")
    if any(line.command for line in said.gates):
        yield Held(name="commands", passed=None, message="the commands of the gates: the commit has only their names")
    if files := ", ".join(dict.fromkeys(line.origin for line in said.gates if line.origin)):
        yield Held(name="checks", passed=None, message=f"whether the checks attributed to {files} come from there")
    if said.verification:
        yield Held(name="steps", passed=None, message="whether these are the requested verification steps")
    if said.unmeasured:
        yield Held(name="loads", passed=None, message=f"what the tests of {', '.join(said.unmeasured)} load")
    if said.confirmed:
        yield Held(name="confirmed", passed=None, message=f"whether a person confirmed: {said.confirmed}")


def _case(said: Certificate) -> Case:
    return Case(
        policy=said.policy,
        criteria=tuple(Criterion(id=judged.criterion, text=judged.text) for judged in said.criteria),
        evidence=tuple(_claim(judged) for judged in said.criteria if judged.kind),
        verification=tuple(line.step for line in said.verification),
        confirmed=said.confirmed,
        not_checked=tuple(
            judged.criterion
            for judged in said.criteria
            if judged.verdict is Verdict.NOT_CHECKED and said.without_gates  # which the commit names, too
        ),
    )


def _claim(judged: Judged) -> Evidence:
    return Evidence(criterion=judged.criterion, kind=judged.kind, reference=judged.reference)


def _evidence(said: Certificate, case: Case, found: Findings, report: GateReport, *, known: bool) -> Iterator[Held]:
    again = judge(said.story, case, found, report).criteria
    for before, now in zip(said.criteria, again, strict=True):
        held = _judged_again(said.policy, before, now)
        unknown = held.passed and now.verdict is Verdict.CONFIRMED and not known
        yield replace(held, passed=None) if unknown else held


def _judged_again(policy: ProofPolicy, before: Judged, now: Judged) -> Held:
    name, same = f"evidence {before.criterion}", before.verdict is now.verdict
    message = f"{now.verdict}: {now.why}" if same else f"now {now.verdict} ({now.why}), not {before.verdict}"
    if same and not suffices(policy, now.verdict):
        return Held(name=name, passed=False, message=f"{message}; the policy {policy} requires more")
    if same and now.verdict in {Verdict.MISSING, Verdict.FALSE}:
        message = f"{now.why}, as the certificate says; the policy {policy} does not require it"
    return Held(name=name, passed=same, message=message)
