"""Asks how far a gate that is red in the sandbox may leave it, and remembers the consent."""

from collections.abc import Iterable, Sequence
from shlex import quote

import click

from shiftwork.app.commands.explain_gate import looks_refused, needs
from shiftwork.bootstrap.work.base import BaseCheck
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site, environment
from shiftwork.config.templates.settings_file import SETUP
from shiftwork.config.trust.gate_consents import GateConsents
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.gates.rung import Rung
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.visible_text import marked
from shiftwork.errors import UsageError
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Further:
    """Gates that the sandbox may have made red, how far the user may let them go, and what they seem to need."""

    gates: tuple[Gate, ...] = ()
    rungs: tuple[Rung, ...] = ()
    messages: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[phrases.Step, ...]:
        """The choices as whole commands."""
        return tuple(step for gate in self.gates for step in self.steps_for(gate))

    def steps_for(self, gate: Gate) -> tuple[phrases.Step, ...]:
        """The choices for one gate; none if the sandbox is not why it is red."""
        if gate not in self.gates:
            return ()
        return tuple((consent_command(gate, rung), f"let it run {rung.meaning}, from now on") for rung in self.rungs)


NOTHING = Further()


def further(base: BaseCheck, report: GateReport, gates: Sequence[Gate]) -> Further:
    """For the gates that are red in the report, and whose output speaks of what a sandbox refuses."""
    if not base.confined:
        return NOTHING
    red = {result.name: result for result in report.results if not result.passed}
    stuck = tuple(gate for gate in gates if gate.name in red and gate.command and looks_refused(red[gate.name]))
    lines = [f"{gate.name}: {need}" for gate in stuck for need in needs(red[gate.name])]
    lines += [f"{gate.name} ran {rung.meaning}" for gate in stuck if (rung := base.rung(gate))]
    free = tuple(gate for gate in stuck if base.further(gate))
    if stuck and not free and base.ladder and base.tip_is_landed:
        lines.append("the last commit was landed by shiftwork, so its gates cannot get more of the machine")
    rungs = dict.fromkeys(rung for gate in free for rung in base.further(gate))
    return Further(gates=free, rungs=tuple(rungs), messages=tuple(dict.fromkeys(lines)))


def consent_command(gate: Gate, rung: Rung) -> str:
    """The spec that names the gate is part of it: without the spec, only the gates of the settings are known."""
    command = f"shiftwork trust --gate {quote(gate.name)} --access {rung.word}"
    return f"{command} {quote(gate.origin)}" if gate.origin else command


def give(site: Site, gates: Iterable[Gate], rung: Rung) -> None:
    book = GateConsents(site.root, environment())
    for gate in gates:
        book.give(gate.command, rung)


def commands_of(settings: Settings, gates: Sequence[Gate]) -> dict[str, str]:
    """What may leave the sandbox, by name: the gates and the setup command."""
    setup = {SETUP: settings.workspace.setup} if settings.workspace.setup else {}
    return setup | {gate.name: gate.command for gate in gates if gate.command}


def named(settings: Settings, gates: Sequence[Gate], name: str) -> str:
    """The command of a gate; raises UsageError if there is no gate of that name."""
    known = commands_of(settings, gates)
    if name not in known:
        raise UsageError(f"there is no gate {name!r}", hint=f"known are {', '.join(map(marked, known)) or 'none'}")
    return known[name]


def announce(name: str, command: str, rung: Rung) -> None:
    click.echo(f"  {marked(name)}  {marked(command)}")
    click.echo(f"it runs {rung.meaning}, from now on" if rung.needs_consent else "it stays in the sandbox, from now on")
