"""Explains gates to people: which of them judge a run, what a red gate needs, and what a blind gate does not see."""

from collections.abc import Collection, Iterable, Sequence

from shiftwork.domain.canary import advice
from shiftwork.domain.canary.canary_verdict import GateSight
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates import commands, machine_needs
from shiftwork.domain.gates.checkout_difference import next_step
from shiftwork.domain.gates.checkout_trial import Explanation, Trial
from shiftwork.domain.gates.gate import Gate, GateResult
from shiftwork.domain.proof.test_count import tally
from shiftwork.domain.runners.first_failure import read_failure
from shiftwork.domain.spec import criterion_gates, named_gates
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.tampering import exemptions
from shiftwork.domain.tampering.findings import Protection
from shiftwork.ports.workspace import Trials


async def explained(gate: Gate, printed: str, trials: Trials) -> Explanation:
    """Why a gate fails in a gate tree but passes in the user's checkout: tries each difference. Runs the gate at most
    `MOST_TRIALS` more times.
    """
    difference, tried = await trials.differ(printed), dict[Trial, bool]()
    while isinstance(step := next_step(difference, tried), Trial):
        tried[step] = await trials.passes(gate, step)
    return step


def gates_of_run(configured: Sequence[Gate], spec: Spec, without: Sequence[str]) -> tuple[Gate, ...]:
    """The gates that the base of a run must pass, if the run continues `without` some of them: those of the settings,
    and the checks that its spec names for all of its work.
    """
    return named_gates.gates_of_run(configured, spec.gates, without)


def gates_for(configured: Sequence[Gate], spec: Spec) -> tuple[Gate, ...]:
    """The gates that judge a spec: those of the settings, then its own."""
    return named_gates.gates_for(configured, spec.gates)


def gates_by_name(configured: Sequence[Gate], spec: Spec) -> tuple[Gate, ...]:
    """Every gate that a user can leave out of a run: those that judge its spec, and those of its criteria."""
    return (*gates_for(configured, spec), *criterion_gates.criterion_gates(spec))


def needed_by_criteria(
    spec: Spec, done: Collection[StoryId], without: Collection[str]
) -> tuple[criterion_gates.Needed, ...]:
    """What the commands in the criteria of the stories need to start, as far as they are to be worked on."""
    return criterion_gates.needed_by_criteria(spec, done, without)


def opened(spec: Spec, protection: Protection, done: Collection[StoryId] = ()) -> dict[StoryId, tuple[str, ...]]:
    """Which protected files each story that is not `done` may change, if any."""
    found = exemptions.opened(spec, protection)
    return {story: patterns for story, patterns in found.items() if story not in done}


def needs(result: GateResult) -> tuple[str, ...]:
    """What a gate that is red in the sandbox seems to need from the machine, in words; empty for a green gate."""
    return () if result.passed else tuple(need.message_for(result.name) for need in machine_needs.needs(result.output))


def red_reason(result: GateResult) -> str:
    """Why a gate is red, on one line: its first error, with file and line where they are known."""
    return result.error.sentence if result.error else red_sentence(result.output)


def red_sentence(output: str) -> str:
    """The same, of the output of any command that failed."""
    return read_failure(output).sentence


def looks_refused(result: GateResult) -> bool:
    """Whether a gate that is red in the sandbox may be red because of it."""
    return not result.passed and machine_needs.looks_refused(result.output)


def only_tests_fail(result: GateResult) -> bool:
    """Whether tests ran and failed, and nothing says that the gate lacks something of the machine."""
    counted = tally(result.output)
    return counted is not None and counted.failed > 0 and not needs(result)


def program(gate: Gate) -> str:
    """The first program that the gate starts; empty where there is none."""
    return commands.program(gate.command)


def remedies(sight: GateSight) -> str:
    """What to change where a test gate is blind, a line each."""
    return "\n".join(advice.remedies(sight))


def unseen_roots(sights: Iterable[GateSight]) -> tuple[str, ...]:
    """The source roots that no test gate sees and at least one is known to miss: tests prove nothing there."""
    tests = tuple(sights)
    seen = {root for sight in tests for root in sight.seen}
    missed = dict.fromkeys(root for sight in tests for root in sight.missed)
    return tuple(root for root in missed if root not in seen)
