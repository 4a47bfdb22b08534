"""A gate that is red in a gate tree and green in the user's checkout is tried until something explains it."""

import asyncio

from shiftwork.app.commands.explain_gate import explained
from shiftwork.domain.gates.checkout_trial import Cause, Difference, Explanation, Named, Trial
from shiftwork.domain.gates.gate import Gate

GATE = Gate(name="test", command="make test")


class Scripted:
    """Trials of a gate that is green where it has this variable."""

    def __init__(self, variable: str) -> None:
        self._variable = variable
        self.tried: list[Trial] = []

    async def differ(self, printed: str) -> Difference:
        return Difference(variables=Named(everything=("A", "B"), printed=("B",) if "B" in printed else ()))

    async def passes(self, gate: Gate, trial: Trial) -> bool:
        assert gate is GATE
        self.tried.append(trial)
        return self._variable in trial.variables


def test_it_is_tried_until_something_explains_it() -> None:
    trials = Scripted("B")
    why = asyncio.run(explained(GATE, "B is not set", trials))
    assert why == Explanation(cause=Cause.VARIABLES, names=("B",), exact=True)
    assert trials.tried == [Trial(variables=("A", "B")), Trial(variables=("B",))]


def test_what_no_trial_makes_green_is_an_environment() -> None:
    trials = Scripted("C")
    assert asyncio.run(explained(GATE, "", trials)) == Explanation(cause=Cause.ENVIRONMENT)
    assert len(trials.tried) == 1
