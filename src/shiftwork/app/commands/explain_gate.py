"""Explains why a gate fails in a gate tree but passes in the user's checkout: tries each difference."""

from shiftwork.domain.gates.checkout_difference import next_step
from shiftwork.domain.gates.checkout_trial import Explanation, Trial
from shiftwork.domain.gates.gate import Gate
from shiftwork.ports.workspace import Trials


async def explained(gate: Gate, printed: str, trials: Trials) -> Explanation:
    """Runs the gate at most `MOST_TRIALS` more times."""
    difference, tried = await trials.differ(printed), dict[Trial, bool]()
    while isinstance(step := next_step(difference, tried), Trial):
        tried[step] = await trials.passes(gate, step)
    return step
