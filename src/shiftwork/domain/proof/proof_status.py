"""How well a landed story is proved; `proof_words` has the wording for it.

A story is proved where every criterion has checked evidence and at least one gate or verification step saw the tree. A
blind gate passes whatever the tree contains, so it does not count. A test that is defined but that no gate printed as
passing may be skipped or never collected, so it is not evidence. A person's confirmation is. A remark names what else a
reader must know: a gate that saw nothing, false evidence, a check that was left out, a person's confirmation.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from shiftwork.domain.gates.fail_to_pass_result import FailToPass, FailToPassOutcome
from shiftwork.domain.gates.gate import GateReport, gate_name, verified_by
from shiftwork.domain.gates.verification import Verification
from shiftwork.domain.proof.certificate import Certificate, Held
from shiftwork.domain.proof.proof_words import REFUTED
from shiftwork.domain.proof.verdict import Judged, ProofLevel, ProofReport, ProofStatus, Verdict
from shiftwork.records import dataclass

UNCHECKED: Final = "the only check was that something changed"
_EVIDENCE: Final = frozenset({Verdict.HOLDS, Verdict.CONFIRMED})
_BETWEEN: Final = "; "


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What ran on the commit and passed: the names of gates and of verification steps; `blind` ones saw nothing."""

    seeing: tuple[str, ...] = ()
    blind: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Weakness:
    """The weakest point of a certificate; the lower the rank, the weaker. An empty `text` means that there is none."""

    rank: int
    text: str


# Findings --------------------------------------------------------------------------------------------------------


def ran_on(story: str, report: GateReport | None, steps: Iterable[Verification]) -> Ran:
    """From the report on a candidate, in which the story's own verification steps are gates with another name."""
    listed = tuple(steps)
    own = {gate_name(story, step.id) for step in listed}
    passed = [result for result in (report.results if report else ()) if result.passed]
    gates = ((result.name, result.blind) for result in passed if result.name not in own)
    verified = (step.id for step in listed if verified_by(story, step, passed))
    return _ran((*gates, *((step, False) for step in verified)))


def ran_by(said: Certificate) -> Ran:
    steps = ((line.step.id, False) for line in said.verification)
    return _ran((*((line.name, line.blind) for line in said.gates), *steps))


def _ran(found: Iterable[tuple[str, bool]]) -> Ran:
    """In the order in which they are first named; a gate counts as blind only if every run of it was."""
    blind: dict[str, bool] = {}
    for name, saw_nothing in found:
        blind[name] = blind.get(name, True) and saw_nothing
    return Ran(
        seeing=tuple(name for name, saw_nothing in blind.items() if not saw_nothing),
        blind=tuple(name for name, saw_nothing in blind.items() if saw_nothing),
    )


def has_evidence(judged: Judged) -> bool:
    return judged.verdict in _EVIDENCE


def status_of(criteria: Sequence[Judged], ran: Ran) -> ProofStatus:
    shown = [judged.verdict for judged in criteria if has_evidence(judged)]
    if not ran.seeing:
        level = ProofLevel.NO_GATES
    elif not criteria:
        level = ProofLevel.GATES_ONLY
    else:
        level = ProofLevel.PROVED if len(shown) == len(criteria) else ProofLevel.PARTLY
    remarks = (*_shortfalls(criteria, ran, len(shown)), *_confirmed(criteria))
    return ProofStatus(level=level, shown=len(shown), criteria=len(criteria), remark=_BETWEEN.join(remarks))


def not_proved(criteria: Sequence[Judged], ran: Ran, result: FailToPass | None) -> tuple[str, ...]:
    """What a reader of the commit must not take for proved. A criterion without evidence is not among it: the policy
    says how many may land, and the gates have passed.
    """
    shown = sum(map(has_evidence, criteria))
    return (*_shortfalls(criteria, ran, shown), *([_PASSING] if result and _passes_without(result) else []))


def _shortfalls(criteria: Sequence[Judged], ran: Ran, shown: int) -> Iterable[str]:
    return (*_blind(ran), *_weaker(criteria), *_unrun(ran, shown, len(criteria)))


def status_by(said: Certificate) -> ProofStatus:
    return status_of(said.criteria, ran_by(said))


def status_on(
    story: str, report: GateReport | None, proof: ProofReport | None, steps: Iterable[Verification]
) -> ProofStatus:
    """From what was found on the candidate that landed."""
    return status_of(proof.criteria if proof else (), ran_on(story, report, steps))


def _blind(ran: Ran) -> Sequence[str]:
    if not ran.blind:
        return ()
    gates, do = ("gate", "does") if len(ran.blind) == 1 else ("gates", "do")
    return (f"{gates} {', '.join(ran.blind)} {do} not notice broken sources",)


def _weaker(criteria: Sequence[Judged]) -> Iterable[str]:
    if refuted := [judged.criterion for judged in criteria if judged.verdict is Verdict.FALSE]:
        yield f"the evidence for {', '.join(refuted)} {REFUTED}"
    if unchecked := [judged.criterion for judged in criteria if judged.verdict is Verdict.NOT_CHECKED]:
        yield f"{', '.join(unchecked)} not checked: the run continues without the gate"


def _confirmed(criteria: Sequence[Judged]) -> Iterable[str]:
    if confirmed := [judged.verdict for judged in criteria].count(Verdict.CONFIRMED):
        yield f"{confirmed} of {len(criteria)} confirmed by a person"


def _unrun(ran: Ran, shown: int, criteria: int) -> Iterable[str]:
    if ran.seeing or ran.blind:
        return
    yield f"nothing was run on it, {shown} of {criteria} criteria with evidence" if shown else UNCHECKED


def why_forgeable(said: Certificate) -> tuple[str, ...]:
    """Why what some gates ran could have forged their results: each reason once."""
    reasons = (*(line.forgeable for line in said.gates), *(line.forgeable for line in said.verification))
    return tuple(dict.fromkeys(filter(None, reasons)))


# Weakest point of a certificate ----------------------------------------------------------------------------------


def weakest(said: Certificate, found: Sequence[Held]) -> Weakness:
    """The weakest of: what does not hold, what landed unproved, and what could not be checked here."""
    status, ran = status_by(said), ran_by(said)
    failed = next((held.name for held in found if held.passed is False), "")
    unchecked = ", ".join(held.name for held in found if held.passed is None)
    blind = "".join(_blind(ran))
    without = f"landed without any gate{f': {blind}' if blind else ''}"
    ranked = (
        f"{failed} does not hold" if failed else "",
        without if status.level is ProofLevel.NO_GATES else "",
        f"{status.shown} of {status.criteria} criteria have evidence" if status.level is ProofLevel.PARTLY else "",
        "it has no criteria: only its gates passed" if status.level is ProofLevel.GATES_ONLY else "",
        blind,
        _PASSING if said.fail_to_pass and _passes_without(said.fail_to_pass) else "",
        f"not checked: {unchecked}" if unchecked else "",
        status.remark,
    )
    return next((Weakness(rank=place, text=text) for place, text in enumerate(ranked) if text), _NOTHING)


def _passes_without(result: FailToPass) -> bool:
    return result.outcome is FailToPassOutcome.GREEN


_PASSING: Final = "the tests that it changed pass without the change"


_NOTHING: Final = Weakness(rank=99, text="")
