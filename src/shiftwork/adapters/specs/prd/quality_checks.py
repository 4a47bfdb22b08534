"""The checks that a prd.json names for all of its work: codetether's `quality_checks`, ralph's `qualityGates`, and
`verificationCommands`.

An object maps names to commands or to objects with a `command` and a `cwd`; a list has commands. Anything that is not a
command stays unread, and so is listed as not used.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from shiftwork.adapters.specs._document import Mistake
from shiftwork.adapters.specs.prd.json_document import LIST, OBJECT, TEXT, Node
from shiftwork.adapters.specs.prd.prd_fields import Fields
from shiftwork.domain.gates.folders import folder_fault, in_folder
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.spec.named_gates import command_of
from shiftwork.prompts.answer.marked_lines import cleaned
from shiftwork.regexes import regex

_NAMES: Final = ("quality_checks", "qualityChecks", "quality_gates", "qualityGates")
_COMMANDS: Final = ("verificationCommands", "verification_commands")
_ODD: Final = regex(r"[^\w.:/+-]+")
_LONGEST: Final = 40

type Check = tuple[str, str, str]
"""The name of a check, its command, and the folder in which it runs."""


def checks(fields: Fields, origin: str) -> tuple[Gate, ...]:
    """The checks as gates, in the order of the file; repeated names get a number."""
    listed = ((check_name(name or command), command, cwd) for name, command, cwd in named_commands(fields))
    return gates_from((*_found(fields), *listed), origin, fields.mistakes, fields.node.start)


def gates_from(found: Iterable[Check], origin: str, mistakes: list[Mistake], at: int) -> tuple[Gate, ...]:
    gates: dict[str, Gate] = {}
    for name, command, cwd in found:
        own = name
        while own in gates:
            own = f"{name}-{len(gates) + 1}"
        if fault := folder_fault(cwd):
            mistakes.append(Mistake(at=at, text=f"the folder of the check {own} {fault}"))
        else:
            gates[own] = Gate(name=own, command=in_folder(cwd, command), cwd=cwd, origin=origin)
    return tuple(gates.values())


def named_commands(fields: Fields) -> Iterator[Check]:
    """Every entry of `verificationCommands`, which may be without a name; what is no command is listed as not used."""
    known = fields.node.member(*_COMMANDS)
    if known and known.node.kind not in {LIST, TEXT}:
        return
    fields.member(*_COMMANDS)
    for item in () if known is None else known.node.items if known.node.kind == LIST else (known.node,):
        text = cleaned(str(item.value)).strip(" `") if item.kind == TEXT else ""
        if item.kind == OBJECT and item.member("command"):
            yield _entry(fields.inside(item, "verification command"))
        elif text:
            yield "", text, ""
        else:
            fields.record.refused.add(item.start)


def _entry(entry: Fields) -> Check:
    return entry.text("name"), entry.text("command"), entry.text("cwd")


def _found(fields: Fields) -> Iterator[Check]:
    for name in _NAMES:
        known = fields.node.member(name)
        if known and known.node.kind in {OBJECT, LIST}:
            fields.member(name)
            inside = _listed if known.node.kind == LIST else _by_name
            yield from inside(fields, known.node, name)


def _by_name(fields: Fields, node: Node, where: str) -> Iterator[Check]:
    table = fields.inside(node, where)
    for member in node.members:
        command = cwd = ""
        if member.node.kind == TEXT:
            command = table.text(member.key)
        elif member.node.kind == OBJECT and member.node.member("command"):
            table.member(member.key)
            _, command, cwd = _entry(fields.inside(member.node, f"{where} {member.key}"))
        elif member.node.kind == "null":
            table.member(member.key)
        if command and not member.key.startswith("_"):
            yield check_name(member.key), command, cwd


def _listed(fields: Fields, node: Node, where: str) -> Iterator[Check]:
    for item in node.items:
        name = command = cwd = ""
        if item.kind == TEXT:
            command = command_of(cleaned(str(item.value)))
        elif item.kind == OBJECT and item.member("command"):
            name, command, cwd = _entry(fields.inside(item, where))
        if command:
            yield check_name(name or command), command, cwd
        else:
            fields.record.refused.add(item.start)


def check_name(text: str) -> str:
    """Without line breaks and commas, because lists of names show it."""
    return _ODD.sub("-", text).strip("-")[:_LONGEST].rstrip("-") or "check"
