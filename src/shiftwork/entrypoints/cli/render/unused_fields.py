"""Fields of the user's file that are not used, and its checks: printed in one block before the work starts."""

from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.app.commands.explain_gate import gates_for
from shiftwork.app.views.documents.event_records import SpecEvent
from shiftwork.app.views.documents.gate_records import GateCommand, UnusedField
from shiftwork.domain.gates.gate import Gate
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import this_moment
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line, plain
from shiftwork.entrypoints.cli.render.visible_text import marked
from shiftwork.ports.specs import Sheet, Unused
from shiftwork.regexes import regex

_LINES: Final = 20
_PLACE: Final = regex(r"\[\d+\]")
_NAME: Final = regex(r".*\.(?=[\w$-]+\Z)")
_WIDEST: Final = 60


def gates_note(sheet: Sheet, settings: Sequence[Gate], note: str) -> Iterator[str]:
    """Where the gates of the run come from; missing settings gates are not mentioned if the spec has some."""
    own = [gate.name for gate in gates_for(settings, sheet.spec)[len(settings) :]]
    if settings or not own:
        yield note
    if own:
        yield f"gates from {plain(file_of(sheet))}: {', '.join(map(marked, own))}"


def lines(sheet: Sheet) -> Iterator[str]:
    """A line for each field, with equal names of many stories combined; empty if all were used."""
    rows = list(_rows(sheet.unused))
    if not rows:
        return
    shown = rows[:_LINES]
    room = max(cells(one_line(path, _WIDEST)) for path, _ in shown)
    yield f"not used of {plain(file_of(sheet))}:"
    yield from (f"  {phrases.padded(one_line(path, _WIDEST), room)}  {why}" for path, why in shown)
    if more := len(rows) - len(shown):
        yield f"  and {more} more: shiftwork plan {plain(file_of(sheet))} --json lists all"


def documents(sheet: Sheet) -> list[UnusedField]:
    return [UnusedField(path=unused.path, known=unused.known, meant=unused.meant) for unused in sheet.unused]


def event(sheet: Sheet) -> SpecEvent:
    """The event about the spec, as the first line of `run --json`."""
    gates = [GateCommand(name=gate.name, command=gate.command) for gate in sheet.spec.gates]
    return SpecEvent(time=this_moment(), file=file_of(sheet), gates=gates, unused=documents(sheet))


def file_of(sheet: Sheet) -> str:
    return sheet.source.partition(":")[2]


def _rows(unused: Sequence[Unused]) -> Iterator[tuple[str, str]]:
    """Unknown fields come first, because they may be mistakes. Known fields get one line for each name."""
    groups: dict[tuple[bool, str], list[Unused]] = {}
    for item in sorted(unused, key=lambda entry: entry.known):
        name = _NAME.sub("", item.path) if item.known else _pattern(item)
        groups.setdefault((item.known, name), []).append(item)
    for (known, name), group in groups.items():
        patterns = {_pattern(entry) for entry in group}
        path = group[0].path if len(group) == 1 else patterns.pop() if len(patterns) == 1 else name
        many = f", {len(group)} times" if len(group) > 1 else ""
        meant = f"; did you mean {group[0].meant}?" if group[0].meant else ""
        yield path, f"{'not used' if known else 'not understood'}{many}{meant}"


def _pattern(unused: Unused) -> str:
    return _PLACE.sub("[*]", unused.path)
