"""The gates of a certificate beside those of the settings and of the spec, and what came of running them again."""

from collections.abc import Iterable, Iterator, Sequence

from shiftwork.app.landing.fail_to_pass import Ports, Trial, tried
from shiftwork.domain.gates.fail_to_pass_result import FailToPass
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.gates.test_gate import is_test_gate
from shiftwork.domain.proof.attestation import CHANGED_TESTS
from shiftwork.domain.proof.certificate import Certificate, Held
from shiftwork.domain.proof.fail_to_pass import in_words, is_red
from shiftwork.domain.tampering.findings import Inspection
from shiftwork.ports.protecting import Protecting
from shiftwork.ports.workspace import Gates


def unchanged(said: Certificate, configured: Sequence[Gate]) -> tuple[Gate, ...]:
    """Those to be run again, by the commands of the settings: a certificate has no say in what is run. One whose
    command is another by now would prove another thing.
    """
    proved = _commands(said)
    return tuple(gate for gate in configured if gate.name in proved and proved[gate.name] in {"", gate.command})


def of_spec(said: Certificate, known: Sequence[Gate], *, trusts: bool) -> tuple[Gate, ...]:
    """The checks of the spec that are to be run again, by the names that they landed under: those that the run's own
    history has, and others where the user `trusts` what the certificate itself would have run.
    """
    recorded = {(gate.origin, gate.command) for gate in known}
    gates = (Gate(name=line.name, command=line.command, origin=line.origin) for line in said.gates if line.origin)
    return tuple(dict.fromkeys(gate for gate in gates if trusts or (gate.origin, gate.command) in recorded))


def gates_held(said: Certificate, report: GateReport, configured: Sequence[Gate]) -> Iterator[Held]:
    if not said.gates and not said.verification:
        yield Held(name="gates", passed=None, told="there were none: nothing was run on this commit")
    yield from _changed(said, {gate.name: gate.command for gate in configured})
    yield from (_ran(f"gate {result.name}", result) for result in report.results)
    yield from _left_out(said, report)
    yield from _new(said, configured)


async def restored_held(
    said: Certificate, again: Sequence[Gate], inspection: Inspection | None, protecting: Protecting, gates: Gates
) -> tuple[Held, ...]:
    """Those that were green with the tests of the base as well, run in that way. Which files were put back only the
    history knows; where the last of a batch was proof for all, they may have been those of other stories.
    """
    names = {line.name: f"gate {line.name} with the tests of the base" for line in said.gates if line.restored}
    if not names:
        return ()
    if inspection is None:
        return _not_run(names.values(), "the history alone says which files were put back")
    files = await protecting.restored(said.base, said.commit, inspection.back, inspection.out)
    commit = await protecting.keyed(said.base, files, inspection.keyed)
    if commit == said.commit:
        return _not_run(names.values(), "the story has changed no such file; others of its batch have")
    wanted = [gate for gate in again if gate.name in names]
    report = await gates.check(commit, wanted, f"{said.run}/{said.story}/proof.restored")
    return tuple(_ran(names[result.name], result) for result in report.results)


async def fail_to_pass_held(
    said: Certificate, trial: Trial, ports: Ports
) -> tuple[FailToPass | None, tuple[Held, ...]]:
    """What evidence is to be judged by. Where the new tests were red without the change the gates run so again; a
    certificate that says otherwise claims nothing by it.
    """
    claimed = said.fail_to_pass
    if claimed is None:
        return None, ()
    if not is_red(claimed):
        return await tried(trial, ports, claimed), ()
    if not any(is_test_gate(gate) for gate in trial.gates):
        told = "of the gates that run tests none is as it was: it was not run again"
        return None, (Held(name=CHANGED_TESTS, passed=None, told=told),)
    now = await tried(trial, ports)
    same = now.outcome is claimed.outcome
    told = in_words(now) if same else f"now {in_words(now)}; the certificate says: {in_words(claimed)}"
    return now, (Held(name=CHANGED_TESTS, passed=same, told=told),)


def _not_run(names: Iterable[str], why: str) -> tuple[Held, ...]:
    return tuple(Held(name=name, passed=None, told=why) for name in names)


def _ran(name: str, result: GateResult) -> Held:
    told = f"passed in {result.seconds:.1f} s" if result.passed else f"failed: {result.output}"
    return Held(name=name, passed=result.passed, told=told)


def _commands(said: Certificate) -> dict[str, str]:
    """What each gate of the settings was when it passed; nothing where the certificate does not say."""
    return {line.name: line.command for line in said.gates if not line.origin}


def _changed(said: Certificate, present: dict[str, str]) -> Iterator[Held]:
    proved, back = _commands(said), "put it back to have it run again"
    for name, command in proved.items():
        if name not in present:
            yield Held(name=f"gate {name}", passed=False, told=f"the settings have no such gate any more: {back}")
        elif command and command != present[name]:
            told = f"passed as `{command}`, and is `{present[name]}` in the settings now: {back}"
            yield Held(name=f"gate {name}", passed=False, told=told)
    if unknown := ", ".join(name for name, command in proved.items() if name in present and not command):
        told = f"the certificate does not say what {unknown} ran: it was run as the settings have it now"
        yield Held(name="commands", passed=None, told=told)


def _left_out(said: Certificate, report: GateReport) -> Iterator[Held]:
    ran = {result.name for result in report.results}
    for line in {line.name: line for line in said.gates if line.origin and line.name not in ran}.values():
        told = f"a check of {line.origin} that no history here has, so it was not run: `{line.command}`"
        yield Held(name=f"gate {line.name}", passed=None, told=told)


def _new(said: Certificate, configured: Sequence[Gate]) -> Iterator[Held]:
    """Whether one was left out of the certificate is seen by the history, or by what the commit says of gates; beyond
    that a gate may rightly be newer than the certificate.
    """
    covered, commands = set(_commands(said)), {line.command for line in said.gates if line.origin}
    names = ", ".join(sorted({line.name for line in said.gates})) or "none"
    for name in said.without_gates:
        told = "not run on this commit: the user has let the run continue without it"
        yield Held(name=f"gate {name}", passed=None, told=told)
    for gate in configured:
        if gate.name not in {*covered, *said.without_gates} and gate.command not in commands:
            told = f"the settings have it now; the certificate covers {names}"
            yield Held(name=f"gate {gate.name}", passed=None, told=told)
