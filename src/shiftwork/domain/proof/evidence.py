"""How much evidence is worth: judges each criterion of a story by what was found in the candidate that would land.

A citation holds where every line it names exists and the story wrote it. A verification step holds where it has passed.
For a test, two things can be established: that the candidate defines it while all gates are green (`PRESENT`), and that
a gate printed the line with which a test runner reports it as passed (`HOLDS`). That it tests what the criterion says
cannot be established. A test that is known to pass without the story's change does not count (`fail_to_pass`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from shiftwork.domain.core.refusal import RefusalText
from shiftwork.domain.gates.gate import Gate, GateReport, gate_name, verified_by
from shiftwork.domain.gates.test_output import passing
from shiftwork.domain.proof.case import Case
from shiftwork.domain.proof.claim import NOT_UNDERSTOOD, Evidence
from shiftwork.domain.proof.fail_to_pass import shortfall, shown_by
from shiftwork.domain.proof.test_definitions import referenced
from shiftwork.domain.proof.verdict import FileFound, Findings, Judged, NameFound, ProofReport, Verdict
from shiftwork.domain.spec.checkability import checkable
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion
from shiftwork.domain.spec.typecheck import asks_for_typecheck, is_typecheck
from shiftwork.records import dataclass, replace
from shiftwork.regexes import regex

TEST: Final = "test"
VERIFICATION: Final = "verification"
CITATION: Final = "citation"
GATE: Final = "gate"
"""Reported by nobody: the gate itself shows what a criterion says about it."""

_ALIASES: Final = {"step": VERIFICATION}
KINDS: Final = frozenset({TEST, VERIFICATION, CITATION, *_ALIASES})
"""What an agent may call the kind of its evidence."""
_CITED: Final = regex(r"(?P<path>.+?):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?")
_RED: Final = regex(r"\b(?:x?fail(?:ed|ure|s)?|error|skip(?:ped)?|ignored|todo|pending)\b|[✗✘]", re.IGNORECASE)

_ENOUGH: Final[Mapping[ProofPolicy, frozenset[Verdict]]] = {
    ProofPolicy.STRICT: frozenset({Verdict.HOLDS, Verdict.CONFIRMED, Verdict.NOT_CHECKED}),
    ProofPolicy.CITED: frozenset({Verdict.HOLDS, Verdict.CONFIRMED, Verdict.NOT_CHECKED, Verdict.PRESENT}),
    ProofPolicy.TRUSTING: frozenset(Verdict),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What must be looked up in a candidate before its case can be judged."""

    paths: tuple[str, ...]
    names: tuple[str, ...]


def step_gates(story: str, case: Case) -> tuple[Gate, ...]:
    """The story's verification steps as gates."""
    return tuple(
        Gate(name=gate_name(story, step.id), command=step.command, minutes=step.seconds / 60, step=step)
        for step in case.verification
    )


def steps_to_run(story: str, case: Case, gates: Iterable[Gate]) -> tuple[Gate, ...]:
    """The story's verification steps that no gate checks, and no step before them: a command runs once on a tree."""
    known = {gate.command for gate in gates}
    distinct: list[Gate] = []
    for gate in step_gates(story, case):
        command = gate.step.gate_command if gate.step else ""
        if not command or command not in known:
            distinct.append(gate)
        known.add(command)
    return tuple(distinct)


def sought(case: Case) -> Sought:
    paths: list[str] = []
    names: list[str] = []
    for claim in case.evidence:
        if _kind(claim) == CITATION and (cited := _citation(claim.reference)):
            paths.append(cited[0])
        elif _kind(claim) == TEST and (name := referenced(claim.reference)[1]):
            names.append(name)
    return Sought(paths=tuple(dict.fromkeys(paths)), names=tuple(dict.fromkeys(names)))


def tests_named(case: Case) -> tuple[str, ...]:
    """The tests that are offered as evidence, as the agent named them."""
    return tuple(claim.reference for claim in case.evidence if _kind(claim) == TEST)


def judge(story: str, case: Case, findings: Findings, report: GateReport) -> ProofReport:
    """Judges every criterion of the case, in order. Output of a blind gate is ignored."""
    seen = replace(report, results=tuple(result for result in report.results if not result.blind))
    judged = tuple(_judged(story, case, criterion, findings, seen) for criterion in case.criteria)
    return ProofReport(commit=report.commit, tree=findings.tree, policy=case.policy, criteria=judged)


def suffices(policy: ProofPolicy, verdict: Verdict) -> bool:
    return verdict in _ENOUGH[policy]


_ASKED: Final = (
    "For each, call report_evidence with kind citation and a reference `file:line` in lines that this story has "
    "written, kind test and the name of a test that passes and that fails without the change of this story, or kind "
    "verification and the id of a verification step. Without that tool, end your answer with the line EVIDENCE: and "
    "below it a list such as `- AC-1 citation src/greet.py:3`."
)
"""What an agent must do about criteria that lack sufficient evidence."""


def lacking(proof: ProofReport) -> RefusalText | None:
    """Why the candidate must not land; None where the evidence suffices."""
    missing = [judged for judged in proof.criteria if not suffices(proof.policy, judged.verdict)]
    if not missing:
        return None
    lines = "\n".join(f"- {judged.criterion} ({judged.text}): {_output(judged)}" for judged in missing)
    count = f"{len(missing)} of {len(proof.criteria)} criteria"
    detail = f"{count} lack sufficient evidence (policy {proof.policy}):\n{lines}"
    return RefusalText(detail=detail, feedback=f"{detail}\n{_ASKED}")


def _output(judged: Judged) -> str:
    return f"{judged.kind} `{judged.reference}`: {judged.why}" if judged.reference else judged.why


def _judged(story: str, case: Case, criterion: Criterion, findings: Findings, report: GateReport) -> Judged:
    if criterion.id in case.not_checked:
        return Judged(
            criterion=criterion.id,
            text=criterion.text,
            kind="",
            reference="",
            verdict=Verdict.NOT_CHECKED,
            why="the run continues without its gate",
        )
    claim = _evidence_for(case, criterion)
    verdict, why = Verdict.MISSING, "no evidence was reported"
    if claim and claim.kind == NOT_UNDERSTOOD:
        why = f"1 line of evidence was not understood: {claim.reference or 'it is empty'}"
        claim = None
    if claim:
        verdict, why = _verdict(story, case, claim, findings, report)
    if (
        verdict is not Verdict.HOLDS
        and asks_for_typecheck(criterion.text)
        and (gate := _type_checker(story, case, report))
    ):
        claim = Evidence(criterion=criterion.id, kind=GATE, reference=gate)
        verdict, why = Verdict.HOLDS, "passed on the commit"
    if verdict is not Verdict.HOLDS and case.confirmed and not checkable(criterion):
        verdict, why = Verdict.CONFIRMED, f"a person says: {case.confirmed}"
    kind, reference = (_kind(claim), claim.reference) if claim else ("", "")
    return Judged(criterion=criterion.id, text=criterion.text, kind=kind, reference=reference, verdict=verdict, why=why)


def _type_checker(story: str, case: Case, report: GateReport) -> str:
    """The gate that has checked the types; empty if none has. Verification steps do not count."""
    steps = {gate.name for gate in step_gates(story, case)}
    passed = (result for result in report.results if result.passed and result.name not in steps)
    return next((result.name for result in passed if is_typecheck(result.name, result.command)), "")


def _evidence_for(case: Case, criterion: Criterion) -> Evidence | None:
    """The criterion's verification step, if it has one; otherwise what an agent reported last."""
    if any(step.id == criterion.id for step in case.verification):
        return Evidence(criterion=criterion.id, kind=VERIFICATION, reference=criterion.id)
    return next((evidence for evidence in reversed(case.evidence) if evidence.criterion == criterion.id), None)


def _verdict(story: str, case: Case, claim: Evidence, findings: Findings, report: GateReport) -> tuple[Verdict, str]:
    match _kind(claim):
        case "citation":
            return cited(claim.reference, findings)
        case "verification":
            return _verified(story, case, claim.reference, report)
        case "test":
            return named_test(claim.reference, findings, report)
        case other:
            return Verdict.FALSE, f"unknown kind of evidence {other!r}: use test, verification or citation"


def _kind(claim: Evidence) -> str:
    return _ALIASES.get(claim.kind.strip().lower(), claim.kind.strip().lower())


# Citations -------------------------------------------------------------------------------------------------------


def _citation(reference: str) -> tuple[str, int, int] | None:
    found = _CITED.fullmatch(reference.strip())
    if found is None:
        return None
    first = int(found["first"])
    return found["path"].removeprefix("./"), first, int(found["last"] or first)


def cited(reference: str, findings: Findings) -> tuple[Verdict, str]:
    """Every cited line must exist and be written by the story."""
    named = _citation(reference)
    if named is None:
        return Verdict.FALSE, "a citation is `file:line` or `file:first-last`"
    path, first, last = named
    file = next((file_found for file_found in findings.files if file_found.path == path), None)
    if file is None:
        return Verdict.FALSE, "the commit to be landed has no such text file"
    if not 1 <= first <= last <= file.lines:
        return Verdict.FALSE, f"the file has {file.lines} lines"
    if not _written(file, first, last):
        return Verdict.FALSE, f"this story did not write these lines; it wrote {_ranges(file)}"
    return Verdict.HOLDS, "found, in lines that the story wrote"


def _written(file: FileFound, first: int, last: int) -> bool:
    """Whether the ranges, which are disjoint and sorted, cover all lines from first to last."""
    due = first
    for start, end in file.changed:
        if start <= due <= end:
            due = end + 1
    return due > last


def _ranges(file: FileFound) -> str:
    shown = [f"{start}-{end}" if start != end else f"{start}" for start, end in file.changed[:8]]
    return f"lines {', '.join(shown)} of it" if shown else "nothing in that file"


# Verification steps ----------------------------------------------------------------------------------------------


def _verified(story: str, case: Case, reference: str, report: GateReport) -> tuple[Verdict, str]:
    wanted = reference.strip()
    step = next(
        (verification for verification in case.verification if wanted in {verification.id, verification.name}), None
    )
    if step is None:
        return Verdict.FALSE, "the story has no such verification step"
    if verified_by(story, step, report.results):
        return Verdict.HOLDS, "passed on the commit"
    return Verdict.FALSE, "has not passed on the commit"


# Tests -----------------------------------------------------------------------------------------------------------


def named_test(reference: str, findings: Findings, report: GateReport) -> tuple[Verdict, str]:
    file, name = referenced(reference)
    found = next((item for item in findings.names if item.name == name), NameFound(name=name))
    where = found.files
    if not name or not where or (file and file not in where):
        return (
            Verdict.FALSE,
            f"no test of that name is defined in {file or 'a test file of the commit to be landed'}",
        )
    if any(_RED.search(line) for line in _lines(name, report)):
        return Verdict.FALSE, "a gate's output shows it failed or skipped"
    if short := shortfall(reference, report.fail_to_pass):
        return Verdict.FALSE, short
    meant, without = (file,) if file else where, shown_by(reference, report.fail_to_pass)
    old = "; a test of that name existed before this story" if set(meant) <= set(found.before) else ""
    if any(passing(name, meant, result.output) for result in report.results):
        return Verdict.HOLDS, f"a gate printed it as passing{old}{without}"
    if not report.results:
        return Verdict.PRESENT, f"defined in {meant[0]}{old}; no gate that sees it ran"
    silent = "no gate printed it as passing (a test runner that lists its tests does, as with -v)"
    return Verdict.PRESENT, f"defined in {meant[0]} and all gates are green{old}{without}; {silent}"


def _lines(name: str, report: GateReport) -> Iterator[str]:
    """What gates printed beside the name. The name is removed because it may itself contain "ok" or "fail"."""
    whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    for result in report.results:
        for line in result.output.splitlines():
            if whole.search(line):
                yield " ".join(word for word in whole.sub(" ", line).split() if not _PATH.search(word))


_PATH: Final = regex(r"/|::|\.py|\.[jt]sx?|\.rs|\.go")
