"""The gates that a branch owes, as commands and documents show them."""

from collections.abc import Sequence

from shiftwork.app.folds import LANDING, load
from shiftwork.app.views.documents.gate_records import OwedGateLine
from shiftwork.domain.core.ids import landing_stream
from shiftwork.domain.landing.owed_gates import OwedGate, owed_text
from shiftwork.domain.landing.state import QueueState
from shiftwork.ports.store import History


async def owed_on(history: History, project: str, branch: str) -> tuple[OwedGateLine, ...]:
    """What a branch of a project owes."""
    return owed_lines(await load(history, LANDING, landing_stream(project, branch)), branch)


def owed_lines(queue: QueueState, branch: str) -> tuple[OwedGateLine, ...]:
    return tuple(_line(gate, branch) for gate in queue.owed)


def next_commands(lines: Sequence[OwedGateLine]) -> tuple[tuple[str, str], ...]:
    """What to type, each with what it does: nothing is undone by itself."""
    steps = [("shiftwork check", "runs what has not run")] if any(not line.red for line in lines) else []
    for line in lines:
        if line.red and line.story:
            steps += [
                (f"shiftwork undo {line.story} --run {line.run}", f"reverts it: {line.gate} was green before"),
                (f"shiftwork retry {line.story} --run {line.run}", "does it again once it is undone"),
            ]
    return tuple(dict.fromkeys(steps))


def _line(gate: OwedGate, branch: str) -> OwedGateLine:
    culprit = gate.culprit
    return OwedGateLine(
        gate=gate.name,
        branch=branch,
        since=gate.since,
        red=bool(gate.red),
        run=culprit.run if culprit else "",
        story=culprit.story if culprit else "",
        note=owed_text(gate, branch),
    )
