"""A base with red gates: found before a session is paid for, with the user's choices."""

import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Final

import click

from shiftwork.app.views.documents.event_records import RedBranchEvent
from shiftwork.app.views.documents.gate_records import outcome
from shiftwork.app.views.text.failure_line import gate_failure
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.gates.rung import Rung
from shiftwork.entrypoints.cli.env.trust import can_ask_a_person
from shiftwork.entrypoints.cli.gates.rung_consent import NOTHING, Further
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import this_moment
from shiftwork.errors import RedGatesError, UsageError
from shiftwork.records import dataclass

REPAIR: Final = "--repair-base"
WITHOUT: Final = "--without-gate"
_CONTINUING: Final = frozenset({"resume", "retry"})
_COMMANDS: Final = _CONTINUING | {"run"}
"""The commands that take the option."""
_LABEL: Final = "  try: "
"""The label before the hint of an error."""
_CHOICES: Final = ("repair", "without", "cancel")
_NEED_LINES: Final = 3
_NAMES: Final = 12
NETWORK: Final = "network"
UNCONFINED: Final = "unconfined"
_FURTHER: Final = {Rung.HOST: NETWORK, Rung.UNCONFINED: UNCONFINED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Red:
    """The gate results on the base branch, and how far the gates may leave the sandbox. `root` is the repository's."""

    branch: str
    report: GateReport
    further: Further = NOTHING
    root: Path = Path()

    @property
    def gates(self) -> tuple[str, ...]:
        return self.report.red

    @property
    def examination(self) -> str:
        """The command that says why they are red: it reads the spec, if one of them is the spec's."""
        specs = [result.origin for result in self.report.results if not result.passed and result.origin]
        return shlex.join(
            ["shiftwork", "doctor", "--gates", *(os.path.relpath(self.root / spec) for spec in specs[:1])]
        )


def known_gates(named: Iterable[str], gates: Sequence[Gate]) -> tuple[str, ...]:
    """The given names, each once; raises UsageError if there is no gate of that name."""
    known = [gate.name for gate in gates]
    for name in named:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            meant = f"; did you mean {close[0]}?" if close else ""
            more = f" and {len(known) - _NAMES} more" if len(known) > _NAMES else ""
            hint = (
                f"the gates here are {', '.join(known[:_NAMES])}{more}"
                if known
                else "there are no gates here: shiftwork doctor"
            )
            raise UsageError(f"there is no gate {name!r}{meant}", hint=hint)
    return tuple(dict.fromkeys(named))


def document(found: Red) -> RedBranchEvent:
    return RedBranchEvent(
        time=this_moment(),
        branch=found.branch,
        passed=False,
        gate_results=[outcome(result) for result in found.report.results],
        needs=list(found.further.messages),
        choices=[command for command, _ in choices(found, sys.argv)],
    )


def chosen(found: Red, *, as_json: bool) -> str:
    """The user's choice at a terminal; raises RedGatesError without a terminal, and if they cancel."""
    error = refusal(found, sys.argv)
    if as_json or not can_ask_a_person():
        raise error
    click.echo(f"{error.message}\n")
    offered = {_FURTHER[rung]: rung for rung in found.further.rungs}
    click.echo("repair   a separate story repairs it first\nwithout  continue without the gate")
    for word, rung in offered.items():
        click.echo(f"{word}  let it run {rung.meaning}, from now on")
    click.echo("cancel")
    chosen: str = click.prompt("what now?", type=click.Choice((*offered, *_CHOICES)), default="cancel")
    if chosen == "cancel":
        raise RedGatesError("cancelled: nothing was started", hint=found.examination)
    return chosen


def refusal(found: Red, argv: Sequence[str]) -> RedGatesError:
    """The error if the user cannot be asked: which gate is red, its output, and what to type."""
    return _refusal(found, "nothing was started, and nothing was spent", choices(found, argv))


def refusal_continued(found: Red, run: str, argv: Sequence[str]) -> RedGatesError:
    """The same, if a run should continue: it can when the branch is green, or without the gate."""
    given = ["--detach" if word == "--hosted" else word for word in argv]  # a worker's own option
    leaving = [word for name in found.gates for word in (WITHOUT, name)]
    takes = not _CONTINUING.isdisjoint(given)
    without = typed(given, *leaving) if takes else shlex.join(["shiftwork", "resume", run, *leaving])
    says = "without it; every commit and certificate says so"
    steps = (
        (typed(given), f"when you have repaired {found.branch}"),
        (without, says.replace("it", "them", 1) if len(found.gates) > 1 else says),
        *found.further.steps,
        (found.examination, "says whether your checkout is green, and why"),
    )
    return _refusal(found, f"run {run} does not continue, and no session was paid for", steps)


def _refusal(found: Red, outcome: str, steps: Sequence[phrases.Step]) -> RedGatesError:
    many = "s" if len(found.gates) > 1 else ""
    head = f"the gate{many} {', '.join(found.gates)} {'are' if many else 'is'} red on {found.branch}"
    hint = "\n".join(phrases.following(steps, label=_LABEL)).removeprefix(_LABEL)
    return RedGatesError("\n".join((f"{head}: {outcome}", *_printed(found))), hint=hint)


def _printed(found: Red) -> Iterable[str]:
    for result in found.report.results:
        if not result.passed:
            label = f"  {result.name}: "
            # The lines that name the cause are chosen from those after the first.
            _, *lines = phrases.gist(gate_failure(result.name, result), phrases.width() - len(label))
            yield from phrases.labelled(label, lines)
    for message in found.further.messages:
        yield from phrases.labelled("  ", phrases.wrapped(message, phrases.width() - 2, most=_NEED_LINES))


def choices(found: Red, argv: Sequence[str]) -> tuple[phrases.Step, ...]:
    """Whole commands: the command line as typed, with the option added."""
    many = len(found.gates) > 1
    leaving = [word for name in found.gates for word in (WITHOUT, name)]
    return (
        (typed(argv, REPAIR), f"a separate story repairs {'them' if many else 'it'} first"),
        (typed(argv, *leaving), f"continue without {'them' if many else 'it'}; every commit and certificate says so"),
        *found.further.steps,
        (found.examination, "cancel; says whether your checkout is green, and why"),
    )


def typed(argv: Sequence[str], *options: str) -> str:
    """The command line with these options after the command's name."""
    given = list(argv[1:])
    place = next((at for at, word in enumerate(given) if word in _COMMANDS and given[at - 1 : at] != ["-C"]), -1)
    return shlex.join(["shiftwork", *given[: place + 1], *options, *given[place + 1 :]])
