"""A base on which gates are red: known before a session is paid for, with the choices that the user has."""

import asyncio
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from typing import Final

import click

from shiftwork.app.commands import Order
from shiftwork.app.forecasting import expected
from shiftwork.bootstrap.base import open_base
from shiftwork.bootstrap.reading import open_queries
from shiftwork.bootstrap.working import has_branch
from shiftwork.config.settings import Settings
from shiftwork.config.site import Site, environment, open_state
from shiftwork.domain.model.gate import Gate, GateReport
from shiftwork.domain.rules.base_repair import red, with_repair
from shiftwork.domain.rules.spec_gates import gates_of_run
from shiftwork.entrypoints.cli import words
from shiftwork.entrypoints.cli.answer import answer
from shiftwork.entrypoints.cli.documents import say
from shiftwork.entrypoints.cli.readers import though_unheard
from shiftwork.entrypoints.cli.trusting import at_a_terminal
from shiftwork.errors import RedGatesError, UsageError
from shiftwork.ports.workspace import Begun, unwatched

REPAIR: Final = "--repair-base"
WITHOUT: Final = "--without-gate"
_LABEL: Final = "  try: "
"""What stands before the hint of an error."""
_MARKER: Final = "base/gates"
_CHOICES: Final = ("repair", "without", "cancel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Red:
    """What the gates say of the branch that the work would begin from."""

    branch: str
    report: GateReport

    @property
    def gates(self) -> tuple[str, ...]:
        return red(self.report)


def known_gates(named: Iterable[str], gates: Sequence[Gate]) -> tuple[str, ...]:
    """The names that were typed, each once; raises UsageError where there is no gate of that name."""
    known = [gate.name for gate in gates]
    for name in named:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            meant = f"; did you mean {close[0]}?" if close else ""
            hint = f"the gates here are {', '.join(known)}" if known else "there are no gates here: shiftwork doctor"
            raise UsageError(f"there is no gate {name!r}{meant}", hint=hint)
    return tuple(dict.fromkeys(named))


def base_report(
    site: Site, settings: Settings, env: Mapping[str, str], branch: str, begun: Begun = unwatched
) -> GateReport:
    """What the gates of these settings say of the branch; what was green before is remembered and not run again."""
    open_state(site)

    async def examined() -> GateReport:
        return await (await open_base(site, settings, env, branch)).report(_MARKER, begun)

    return asyncio.run(examined())


def cleared(site: Site, settings: Settings, order: Order, *, repair: bool, as_json: bool) -> Order:
    """The order as it can begin: on a green base, or as the user has chosen. Raises RedGatesError where nothing was
    chosen for gates that are red.
    """
    judging = gates_of_run(settings.gate_list, order.spec.gates, order.without_gates)
    if not judging:
        return order
    found = _examined(site, settings, order, judging, as_json=as_json)
    if not found.gates:
        if repair and not as_json:
            with though_unheard():
                click.echo(f"{found.branch} is green: there is nothing to repair first")
        return order
    chosen = "repair" if repair else _chosen(found, as_json=as_json)
    if chosen == "repair":
        spec, first = with_repair(order.spec, found.report, judging, found.branch)
        foreseen = answer(lambda: expected(open_queries(site), spec, order.workflow, order.done))
        return replace(order, spec=spec, base_story=first, foreseen=foreseen)
    return replace(order, without_gates=(*order.without_gates, *found.gates))


def _examined(site: Site, settings: Settings, order: Order, judging: Sequence[Gate], *, as_json: bool) -> Red:
    env = environment()
    made = not order.base or asyncio.run(has_branch(site, env, order.branch))
    branch = order.branch if made else order.base
    names = {gate.name for gate in judging}
    own = settings.model_copy(update={"gates": {name: one for name, one in settings.gates.items() if name in names}})

    def begun(gate: str) -> None:
        if not as_json:
            with though_unheard():
                click.echo(f"gate {gate} runs on {branch} first, before a session is paid for")

    found = Red(branch=branch, report=base_report(site, own, env, branch, begun))
    if as_json and found.gates:
        with though_unheard():
            say(_document(found))
    return found


def _document(found: Red) -> dict[str, object]:
    return {
        "event": "base",
        "branch": found.branch,
        "passed": False,
        "gates": [asdict(result) for result in found.report.results],
        "choices": [command for command, _ in choices(found, sys.argv)],
    }


def _chosen(found: Red, *, as_json: bool) -> str:
    """What the user says at a terminal; raises RedGatesError elsewhere, and where they cancel."""
    error = refusal(found, sys.argv)
    if as_json or not at_a_terminal():
        raise error
    click.echo(f"{error.message}\n")
    click.echo("repair   a story of its own makes it green first\nwithout  continue without the gate\ncancel")
    chosen: str = click.prompt("what now?", type=click.Choice(_CHOICES), default="cancel")
    if chosen == "cancel":
        raise RedGatesError("cancelled: nothing was started", hint="shiftwork doctor --gates")
    return chosen


def refusal(found: Red, argv: Sequence[str]) -> RedGatesError:
    """Which gate is red, what it said, and what can be typed: for whoever cannot be asked."""
    many = "s" if len(found.gates) > 1 else ""
    head = f"the gate{many} {', '.join(found.gates)} {'are' if many else 'is'} red on {found.branch}"
    told = [f"{head}: nothing was started, and nothing was spent", *_printed(found)]
    hint = "\n".join(words.following(choices(found, argv), label=_LABEL)).removeprefix(_LABEL)
    return RedGatesError("\n".join(told), hint=hint)


def _printed(found: Red) -> Iterable[str]:
    for result in found.report.results:
        if not result.passed:
            label = f"  {result.name}: "
            # The lines that say what was wrong are chosen among those after the first.
            _, *lines = words.gist(f"{result.name}\n{result.output}", words.width() - len(label))
            yield from words.labelled(label, lines)


def choices(found: Red, argv: Sequence[str]) -> tuple[words.Step, ...]:
    """As whole commands: what was typed, with the option added."""
    many = len(found.gates) > 1
    leaving = [word for name in found.gates for word in (WITHOUT, name)]
    return (
        (typed(argv, REPAIR), f"a story of its own makes {'them' if many else 'it'} green first"),
        (typed(argv, *leaving), f"continue without {'them' if many else 'it'}; every commit and certificate says so"),
        ("shiftwork doctor --gates", "cancel; says whether your checkout is green, and why"),
    )


def typed(argv: Sequence[str], *options: str) -> str:
    """The command line with these options after the name of the command, whatever stands behind that."""
    given = list(argv[1:])
    place = next((at for at, word in enumerate(given) if word == "run" and given[at - 1 : at] != ["-C"]), -1)
    return shlex.join(["shiftwork", *given[: place + 1], *options, *given[place + 1 :]])
