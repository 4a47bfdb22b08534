"""The checks that a prd.json names for all of its work: codetether's `quality_checks`, ralph's `qualityGates`.

An object maps names to commands or to objects with a `command`; a list has commands. Anything that is not a command
stays unread, and so is listed as not used.
"""

import re
from collections.abc import Iterator
from typing import Final

from shiftwork.adapters.specs.prd.json_document import LIST, OBJECT, TEXT, Node
from shiftwork.adapters.specs.prd.prd_fields import Fields
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.spec.named_gates import command_of
from shiftwork.prompts.answer.marked_lines import cleaned

_NAMES: Final = ("quality_checks", "qualityChecks", "quality_gates", "qualityGates")
_ODD: Final = re.compile(r"[^\w.:/+-]+")
_LONGEST: Final = 40


def checks(fields: Fields, origin: str) -> tuple[Gate, ...]:
    """The checks as gates, in the order of the file; repeated names get a number."""
    gates: dict[str, Gate] = {}
    for name, command in _found(fields):
        own = name
        while own in gates:
            own = f"{name}-{len(gates) + 1}"
        gates[own] = Gate(name=own, command=command, origin=origin)
    return tuple(gates.values())


def _found(fields: Fields) -> Iterator[tuple[str, str]]:
    for name in _NAMES:
        known = fields.node.member(name)
        if known and known.node.kind in {OBJECT, LIST}:
            fields.member(name)
            inside = _listed if known.node.kind == LIST else _by_name
            yield from inside(fields, known.node, name)


def _by_name(fields: Fields, node: Node, where: str) -> Iterator[tuple[str, str]]:
    table = fields.inside(node, where)
    for member in node.members:
        command = ""
        if member.node.kind == TEXT:
            command = table.text(member.key)
        elif member.node.kind == OBJECT and member.node.member("command"):
            table.member(member.key)
            command = fields.inside(member.node, f"{where} {member.key}").text("command")
        elif member.node.kind == "null":
            table.member(member.key)
        if command and not member.key.startswith("_"):
            yield _name(member.key), command


def _listed(fields: Fields, node: Node, where: str) -> Iterator[tuple[str, str]]:
    for item in node.items:
        name = command = ""
        if item.kind == TEXT:
            command = command_of(cleaned(str(item.value)))
        elif item.kind == OBJECT and item.member("command"):
            entry = fields.inside(item, where)
            name, command = entry.text("name"), entry.text("command")
        if command:
            yield _name(name or command), command
        else:
            fields.record.refused.add(item.start)


def _name(text: str) -> str:
    """Without line breaks and commas, because lists of names show it."""
    return _ODD.sub("-", text).strip("-")[:_LONGEST].rstrip("-") or "check"
