"""The gates of a certificate beside those of the settings, and what came of running them again."""

from collections.abc import Iterator, Sequence

from shiftwork.domain.model.certificate import Certificate, Held
from shiftwork.domain.model.gate import Gate, GateReport


def unchanged(said: Certificate, configured: Sequence[Gate]) -> tuple[Gate, ...]:
    """Those to be run again, by the commands of the settings: a certificate has no say in what is run. One whose
    command is another by now would prove another thing.
    """
    proved = _commands(said)
    return tuple(gate for gate in configured if gate.name in proved and proved[gate.name] in {"", gate.command})


def gates_held(said: Certificate, report: GateReport, configured: Sequence[Gate]) -> Iterator[Held]:
    if not said.gates and not said.verification:
        yield Held(name="gates", passed=None, told="there were none: nothing was run on this commit")
    yield from _changed(said, {gate.name: gate.command for gate in configured})
    for result in report.results:
        told = f"passed in {result.seconds:.1f} s" if result.passed else f"failed: {result.output}"
        yield Held(name=f"gate {result.name}", passed=result.passed, told=told)
    yield from _new(said, configured)


def _commands(said: Certificate) -> dict[str, str]:
    """What each gate was when it passed; nothing where the certificate does not say."""
    return {line.name: line.command for line in said.gates}


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


def _new(said: Certificate, configured: Sequence[Gate]) -> Iterator[Held]:
    """Whether one was left out of the certificate is seen by the history, or by what the commit says of gates; beyond
    that a gate may rightly be newer than the certificate.
    """
    covered = {line.name for line in said.gates}
    for gate in configured:
        if gate.name not in covered:
            told = f"the settings have it now; the certificate covers {', '.join(sorted(covered)) or 'none'}"
            yield Held(name=f"gate {gate.name}", passed=None, told=told)
