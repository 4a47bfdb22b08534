"""Explains a gate that is red in a gate tree and green in the user's checkout, by trying it with what differs."""

from shiftwork.domain.gates.checkout_difference import next_step
from shiftwork.domain.gates.checkout_trial import Explanation, Trial
from shiftwork.domain.gates.gate import Gate
from shiftwork.ports.workspace import Trials


async def explained(gate: Gate, printed: str, trials: Trials) -> Explanation:
    """At most `MOST_TRIALS` more runs of the gate."""
    difference, tried = await trials.differ(printed), dict[Trial, bool]()
    while isinstance(step := next_step(difference, tried), Trial):
        tried[step] = await trials.passes(gate, step)
    return step
