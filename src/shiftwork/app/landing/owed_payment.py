"""Runs the gates that landings have skipped on the tip of their branch, and finds the landing that made one red."""

from collections.abc import Sequence

from shiftwork import failpoints
from shiftwork.app.folds import load
from shiftwork.app.landing.canary import Examiner
from shiftwork.app.runtime.context import Context
from shiftwork.app.runtime.landing_lock import turn
from shiftwork.app.runtime.recorder import Recorder
from shiftwork.app.runtime.streams import LANDING_KIND
from shiftwork.domain.core.ids import Commit, Stream
from shiftwork.domain.gates.attribution import tried_again
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.gates.test_gate import with_preparation
from shiftwork.domain.landing.facts import OwedGatesRun
from shiftwork.domain.landing.owed_gates import Blamed, OwedGate, Unchecked
from shiftwork.domain.landing.state import QueueState
from shiftwork.errors import RepositoryError
from shiftwork.ports.workspace import Begun, unwatched
from shiftwork.records import replace

_MARKER = "owed/gates"


async def run_owed_gates(context: Context, stream: Stream, begun: Begun = unwatched) -> QueueState:
    """The state of a landing queue after the gates that its branch owes have run on the tip, if any. A gate that is
    known to be red on that tip does not run again. Does nothing twice.
    """
    before = await load(context.events, LANDING_KIND.state, stream)
    if not before.owed:
        return before
    async with turn(context, stream):
        version = await context.events.version(stream)
        state = await load(context.events, LANDING_KIND.state, stream, version)
        recorder = Recorder(context=context, kind=LANDING_KIND, stream=stream, state=state, version=version)
        tip = await context.repository.tip(state.branch)
        due = [owed for owed in state.owed if owed.red != tip]
        if due:
            found = await _run(context, tip, due, begun)
            failpoints.reach("owed.ran")
            await recorder.write(f"owed/{version}", (found,))
            failpoints.reach("owed.recorded")
        return recorder.state


async def _run(context: Context, tip: Commit, due: Sequence[OwedGate], begun: Begun) -> OwedGatesRun:
    """What is known to be green on the tip, as after the check of a branch before a run, does not run again."""
    policy = context.work_policy
    gates = {gate.name: gate for gate in policy.gates if gate.name in {owed.name for owed in due}}
    known = Examiner(
        runner=context.gates, canary=context.canary, gates=tuple(gates.values()), protection=policy.protection
    )
    green = await known.known_base(tip)
    unknown = [gate for name, gate in gates.items() if name not in {result.name for result in green}]
    report = await _checked(context, tip, unknown, begun)
    await known.keep_green(report)
    blamed = [
        Blamed(gate=owed.name, landed=await _first_red(context, gates[owed.name], owed.landed))
        for owed in due
        if owed.name in report.red
    ]
    return OwedGatesRun(
        at=context.clock.now(),
        report=replace(report, results=(*green, *report.results)),
        blamed=tuple(blamed),
        gone=tuple(owed.name for owed in due if owed.name not in gates),
    )


async def _checked(context: Context, commit: Commit, wanted: Sequence[Gate], begun: Begun) -> GateReport:
    """The report on these gates, after those that build what they test. A red result is tried once more."""
    policy = context.work_policy
    needed = {gate for item in wanted for gate in with_preparation(item, policy.gates)}
    gates = tuple(gate for gate in policy.gates if gate in needed)
    report = await context.gates.check(commit, gates, _MARKER, begun=begun)
    if not report.passed:
        report = tried_again(report, await context.gates.check(commit, gates, _MARKER, begun=begun))
    names = {gate.name for gate in wanted}
    return replace(report, results=tuple(result for result in report.results if result.name in names))


async def _first_red(context: Context, gate: Gate, landed: Sequence[Unchecked]) -> Unchecked | None:
    """The landing on which the gate is red, and below which it is green, found by halving. None if there is none: then
    the gate was red before, or somebody else's commit made it so.
    """
    green, red = 0, len(landed) - 1
    try:
        if await _is_green(context, landed[red].commit, gate):
            return None
        while green < red:
            middle = (green + red) // 2
            if await _is_green(context, landed[middle].commit, gate):
                green = middle + 1
            else:
                red = middle
        return landed[red] if await _is_green(context, landed[red].base, gate) else None
    except RepositoryError:  # the branch was rewritten, and the commit is gone
        return None


async def _is_green(context: Context, commit: Commit, gate: Gate) -> bool:
    return (await _checked(context, commit, [gate], unwatched)).passed
