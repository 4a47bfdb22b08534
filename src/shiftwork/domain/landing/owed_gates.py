"""The gates that a branch owes: landings did not need them by their paths, and they have not run on the branch since.

Most debts are paid by the last landing of a run, for which all gates run. Where that landing never comes, because its
story failed, was cancelled or has reached a limit, the gates run on the tip of the branch itself.
"""

from collections.abc import Iterable, Sequence

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.gates.gate import GateReport
from shiftwork.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchecked:
    """A landed story on whose `commit`, on top of `base`, a gate did not run."""

    run: RunId
    story: StoryId
    base: Commit
    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class OwedGate:
    """A gate that has not run on the branch since the commit below the first of the `landed` ones. Once it has run, and
    is `red` on that commit, `culprit` is the story whose commit made it so; None if the commit is nobody's story.
    """

    name: str
    landed: tuple[Unchecked, ...]
    red: Commit = Commit("")
    culprit: Unchecked | None = None

    @property
    def since(self) -> Commit:
        return self.landed[0].base


def owed_after(owed: Sequence[OwedGate], report: GateReport | None, landed: Unchecked) -> tuple[OwedGate, ...]:
    """The debts after a landing: a gate that has run on it is not owed any more, and a gate that was skipped is."""
    if report is None:
        return tuple(owed)
    ran = {result.name for result in report.results if result.passed}
    skipped = {gate.name for gate in report.not_needed}
    known = {gate.name for gate in owed}
    grown = (
        replace(gate, landed=(*gate.landed, landed)) if gate.name in skipped else gate
        for gate in owed
        if gate.name not in ran
    )
    new = (OwedGate(name=gate.name, landed=(landed,)) for gate in report.not_needed if gate.name not in known)
    return (*grown, *new)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blamed:
    """What the search for the first red commit of a gate has found; without `landed`, no story made the gate red."""

    gate: str
    landed: Unchecked | None = None


def owed_after_run(
    owed: Sequence[OwedGate], report: GateReport, blamed: Iterable[Blamed], gone: Sequence[str]
) -> tuple[OwedGate, ...]:
    """The debts after gates have run on the tip. Gates that the settings do not have any more are not owed."""
    culprits = {item.gate: item.landed for item in blamed}
    passed = {result.name for result in report.results if result.passed}.difference(report.red)
    left = (gate for gate in owed if gate.name not in {*passed, *gone})
    return tuple(
        replace(gate, red=report.commit, culprit=culprits.get(gate.name)) if gate.name in report.red else gate
        for gate in left
    )


def owed_text(gate: OwedGate, branch: str) -> str:
    """What people read about a debt."""
    if not gate.red:
        return f"{gate.name} has not run on {branch} since {gate.since[:10]}"
    if gate.culprit is None:
        return f"{gate.name} is red on {branch}, and no story of these runs is known to have made it so"
    return f"{gate.name} is red on {branch} since {gate.culprit.story} landed as {gate.culprit.commit[:10]}"
