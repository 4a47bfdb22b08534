"""Runs the gates of a certificate again, compared with the gates of the settings and the spec."""

from collections.abc import Iterable, Iterator, Sequence

from shiftwork.app.landing.fail_to_pass import Ports, Trial, tried
from shiftwork.domain.core.first_error import WHOLE_LOG
from shiftwork.domain.gates.fail_to_pass_result import FailToPass
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.gates.test_gate import is_test_gate
from shiftwork.domain.proof.attestation import CHANGED_TESTS
from shiftwork.domain.proof.certificate import Certificate, Held
from shiftwork.domain.proof.fail_to_pass import in_words, is_red
from shiftwork.domain.proof.red_excuse import drop_thresholds, excuse_coverage
from shiftwork.domain.tampering.findings import Inspection
from shiftwork.ports.protecting import Protecting
from shiftwork.ports.workspace import Gates


def unchanged(said: Certificate, configured: Sequence[Gate]) -> tuple[Gate, ...]:
    """Returns the gates to run again, with the commands of the settings: a certificate must not decide what runs.
    Leaves out a gate whose command has changed, because it would prove something else.
    """
    proved = _commands(said)
    return tuple(gate for gate in configured if gate.name in proved and proved[gate.name] in {"", gate.command})


def of_spec(said: Certificate, known: Sequence[Gate], *, trusts: bool) -> tuple[Gate, ...]:
    """Returns the checks of the spec to run again, by the names they landed under: those in the run's own history, and
    the others only if the user `trusts` the commands of the certificate.
    """
    recorded = {(gate.origin, gate.command) for gate in known}
    gates = (Gate(name=line.name, command=line.command, origin=line.origin) for line in said.gates if line.origin)
    return tuple(dict.fromkeys(gate for gate in gates if trusts or (gate.origin, gate.command) in recorded))


def _failed(result: GateResult) -> str:
    log = f"; {WHOLE_LOG}{result.log}" if result.log else ""
    return f"failed: {result.error.sentence if result.error else result.output}{log}"


def gates_held(said: Certificate, report: GateReport, configured: Sequence[Gate]) -> Iterator[Held]:
    if not said.gates and not said.verification:
        yield Held(name="gates", passed=None, message="none: nothing was run on this commit")
    yield from _changed(said, {gate.name: gate.command for gate in configured})
    yield from (_ran(f"gate {result.name}", result) for result in report.results)
    yield from _left_out(said, report)
    yield from _new(said, configured)


async def restored_held(
    said: Certificate, again: Sequence[Gate], inspection: Inspection | None, protecting: Protecting, gates: Gates
) -> tuple[Held, ...]:
    """Runs the gates again that also passed with the original tests restored. Only the history knows which files were
    restored; if one check covered a whole batch, the files may belong to other stories.
    """
    names = {
        line.name: f"gate {line.name} (your original tests against the new code)"
        for line in said.gates
        if line.restored
    }
    if not names:
        return ()
    if inspection is None:
        return _not_run(names.values(), "only the history knows which files were restored")
    files = await protecting.restored(said.base, said.commit, inspection.back, inspection.out)
    commit = await protecting.keyed(said.base, files, inspection.keyed)
    if commit == said.commit:
        return _not_run(names.values(), "the story changed no such file; other stories of its batch did")
    wanted = [gate for gate in again if gate.name in names]
    marker = f"{said.run}/{said.story}/proof.restored"
    report = await gates.check(commit, wanted, marker)
    excused = {gate.name for gate in said.excused}
    if excused.issuperset(report.red) and (lowered := drop_thresholds(report, wanted)):
        report = excuse_coverage(report, await gates.check(commit, lowered, f"{marker}.lowered"), wanted)
    return tuple(_ran(names[result.name], result) for result in report.results)


async def fail_to_pass_held(
    said: Certificate, trial: Trial, ports: Ports
) -> tuple[FailToPass | None, tuple[Held, ...]]:
    """Returns the result to judge evidence by. If the certificate says that the new tests failed without the change,
    runs them that way again; any other outcome claims nothing.
    """
    claimed = said.fail_to_pass
    if claimed is None:
        return None, ()
    if not is_red(claimed):
        return await tried(trial, ports, claimed), ()
    if not any(is_test_gate(gate) for gate in trial.gates):
        message = "not run again: every gate that runs tests has changed since"
        return None, (Held(name=CHANGED_TESTS, passed=None, message=message),)
    now = await tried(trial, ports)
    same = now.outcome is claimed.outcome
    message = in_words(now) if same else f"now {in_words(now)}; the certificate says: {in_words(claimed)}"
    return now, (Held(name=CHANGED_TESTS, passed=same, message=message),)


def _not_run(names: Iterable[str], why: str) -> tuple[Held, ...]:
    return tuple(Held(name=name, passed=None, message=why) for name in names)


def _ran(name: str, result: GateResult) -> Held:
    message = f"passed in {result.seconds:.1f} s" if result.passed else _failed(result)
    return Held(name=name, passed=result.passed, message=message)


def _commands(said: Certificate) -> dict[str, str]:
    """Returns the command of each gate of the settings when it passed; empty if not in the certificate."""
    return {line.name: line.command for line in said.gates if not line.origin}


def _changed(said: Certificate, present: dict[str, str]) -> Iterator[Held]:
    proved, back = _commands(said), "restore it to run it again"
    for name, command in proved.items():
        if name not in present:
            yield Held(name=f"gate {name}", passed=False, message=f"the settings no longer have this gate: {back}")
        elif command and command != present[name]:
            message = f"passed as `{command}`, but is now `{present[name]}` in the settings: {back}"
            yield Held(name=f"gate {name}", passed=False, message=message)
    if unknown := ", ".join(name for name, command in proved.items() if name in present and not command):
        message = f"the certificate has no command for {unknown}: ran the command from the current settings"
        yield Held(name="commands", passed=None, message=message)


def _left_out(said: Certificate, report: GateReport) -> Iterator[Held]:
    ran = {result.name for result in report.results}
    for line in {line.name: line for line in said.gates if line.origin and line.name not in ran}.values():
        message = f"not run, because no history here has this check of {line.origin}: `{line.command}`"
        yield Held(name=f"gate {line.name}", passed=None, message=message)


def _new(said: Certificate, configured: Sequence[Gate]) -> Iterator[Held]:
    """Reports gates that the certificate does not cover. This is no failure, because a gate may be newer than the
    certificate; the history and the commit show whether a gate was removed from it.
    """
    covered, commands = set(_commands(said)), {line.command for line in said.gates if line.origin}
    names = ", ".join(sorted({line.name for line in said.gates})) or "none"
    for name in said.without_gates:
        message = "not run on this commit: the user has let the run continue without it"
        yield Held(name=f"gate {name}", passed=None, message=message)
    for skipped in said.not_needed:
        message = f"not needed by this commit: {skipped.reason}"
        yield Held(name=f"gate {skipped.name}", passed=None, message=message)
    known = {*covered, *said.without_gates, *(skipped.name for skipped in said.not_needed)}
    for gate in configured:
        if gate.name not in known and gate.command not in commands:
            message = f"the settings have it now; the certificate covers {names}"
            yield Held(name=f"gate {gate.name}", passed=None, message=message)
