"""Reads a tree by the tables of fields; unknown keys, wrong types and missing fields become mistakes."""

import re
from collections.abc import Callable
from typing import Any, Final

from shiftwork.adapters.workflows._diagnostics import Diagnostics
from shiftwork.adapters.workflows._shapes import (
    Block,
    Blocks,
    Commands,
    Field,
    Flag,
    Named,
    Number,
    Pairs,
    Shape,
    Table,
    Text,
    Texts,
)
from shiftwork.adapters.workflows._yaml import FLAG, LIST, MAPPING, NOTHING, NUMBER, SCALARS, TEXT, Member, Node, Place
from shiftwork.adapters.workflows.workflow_fields import TABLES
from shiftwork.prompts.answer.problem import did_you_mean, shown
from shiftwork.records import dataclass, field

_LONGEST: Final = 64 * 1024
"""Limit of a single text, such as a prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A mapping of a workflow file: the valid values by field name, and the line and column of each."""

    node: Node
    place: Place
    key: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, Place] = field(default_factory=dict)

    def text(self, name: str) -> str:
        return str(self.values.get(name, ""))

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(self.values.get(name, ()))

    def number(self, name: str) -> float | None:
        return self.values.get(name)

    def flag(self, name: str) -> bool:
        return bool(self.values.get(name, False))

    def pairs(self, name: str) -> dict[str, str]:
        return dict(self.values.get(name, {}))

    def entry(self, name: str) -> "Entry":
        """The block of that name; an empty block if there is none."""
        found = self.values.get(name)
        return found if isinstance(found, Entry) else Entry(node=self.node, place=self.place)

    def entries(self, name: str) -> tuple["Entry", ...]:
        return tuple(self.values.get(name, ()))

    def has(self, name: str) -> bool:
        return name in self.keys

    def at(self, name: str) -> Place:
        """The place of the value, else of the key, else of the whole mapping."""
        node = self.nodes.get(name)
        return node.place if node else self.keys.get(name, self.place)


def read(root: Node, diagnostics: Diagnostics) -> Entry:
    """Reads the whole file by the table `workflow`."""
    if root.kind != MAPPING:
        diagnostics.mistake(root.place, f"a workflow is a mapping with id and steps, not {root.kind}")
        return Entry(node=root, place=root.place)
    table = TABLES["workflow"]
    return _Reader(diagnostics).block(root, table, table.called)


class _Reader:
    def __init__(self, diagnostics: Diagnostics) -> None:
        self._diagnostics = diagnostics
        self._readers: dict[type, Callable[[Node, Any, str], Any]] = {
            Text: self._text,
            Number: self._number,
            Flag: self._flag,
            Texts: self._texts,
            Pairs: self._pairs,
            Commands: self._commands,
            Block: self._block,
            Blocks: self._blocks,
            Named: self._named,
        }

    def block(self, node: Node, table: Table, where: str, key: str = "") -> Entry:
        entry = Entry(node=node, place=node.place, key=key)
        for member in node.members:
            self._member(entry, table, member, where)
        for field_ in table.fields:
            if field_.required and not entry.has(field_.name):
                close = did_you_mean(
                    field_.name, [member.key for member in node.members if not table.field(member.key)]
                )
                guess = close.replace("did you mean", "misspelled as") if close else ""
                self._diagnostics.mistake(node.place, f"{where} has no {field_.name}{guess}")
        return entry

    def _member(self, entry: Entry, table: Table, member: Member, where: str) -> None:
        known = table.field(member.key)
        if known is None:
            names = [field_.name for field_ in table.fields]
            guess = did_you_mean(member.key, names) or f"; known are {', '.join(names)}"
            self._diagnostics.mistake(member.place, f"{where}: unknown key {shown(member.key)}{guess}")
            return
        if entry.has(known.name):
            first = entry.keys[known.name].line
            self._diagnostics.mistake(member.place, f"{where}: {member.key!r} appears twice, first in line {first}")
            return
        entry.keys[known.name] = member.place
        entry.nodes[known.name] = member.node
        if known.idle:
            self._diagnostics.note(member.place, f"{where}: {member.key} has no effect; {known.idle}")
        value = self._value(member.node, known.shape, f"{where}: {member.key}")
        if value is not None:
            entry.values[known.name] = value
        elif known.required:
            self._empty(member, known, where)

    def _empty(self, member: Member, known: Field, where: str) -> None:
        if member.node.kind == NOTHING:
            self._diagnostics.mistake(member.place, f"{where}: {known.name} must not be empty")

    def _value(self, node: Node, shape: Shape, where: str) -> Any:
        """The value as plain data; None if it is missing or a mistake."""
        return None if node.kind == NOTHING else self._readers[type(shape)](node, shape, where)

    def _flag(self, node: Node, _: Flag, where: str) -> bool | None:
        return bool(node.value) if self._is(node, FLAG, where) else None

    def _is(self, node: Node, kind: str, where: str) -> bool:
        if node.kind != kind:
            self._diagnostics.mistake(node.place, f"{where} must be {kind}, not {node.kind}{_unquoted(node, kind)}")
        return node.kind == kind

    def _text(self, node: Node, shape: Text, where: str) -> str | None:
        if node.kind not in SCALARS:
            self._is(node, TEXT, where)
            return None
        text = node.text.strip() if shape.one_of or shape.pattern else node.text
        if shape.one_of and text not in shape.one_of:
            allowed = did_you_mean(text, shape.one_of) or f"; it can be {', '.join(shape.one_of)}"
            self._diagnostics.mistake(node.place, f"{where} cannot be {shown(text)}{allowed}")
            return None
        if shape.pattern and not re.fullmatch(shape.pattern, text):
            # Kept, so that references to it are not reported as missing.
            self._diagnostics.mistake(node.place, f"{where} {shown(text)} must be {shape.looks}, at most 64")
        if len(text) > _LONGEST:
            self._diagnostics.mistake(node.place, f"{where} is longer than {_LONGEST:,} characters")
            return None
        return text

    def _number(self, node: Node, shape: Number, where: str) -> float | None:
        if not self._is(node, NUMBER, where):
            return None
        value = node.value
        fits = isinstance(value, int if shape.whole else (int, float)) and shape.least <= value <= shape.most
        if not fits:
            kind = "a whole number" if shape.whole else "a number"
            bounds = f"{shape.least:g} … {shape.most:,g}"
            self._diagnostics.mistake(node.place, f"{where} must be {kind} in {bounds}, not {node.text}")
            return None
        return value  # type: ignore[return-value]  # it fits

    def _texts(self, node: Node, shape: Texts, where: str) -> tuple[str, ...] | None:
        if not self._is(node, LIST, where):
            return None
        texts = [self._text(item, shape.of, where) for item in node.items]
        return tuple(text for text in texts if text is not None)

    def _pairs(self, node: Node, _: Pairs | Commands, where: str) -> dict[str, str] | None:
        if not self._is(node, MAPPING, where):
            return None
        found: dict[str, str] = {}
        for member in node.members:
            if member.key in found:
                self._diagnostics.mistake(member.place, f"{where}: {member.key!r} appears twice")
            value = self._text(member.node, Text(), f"{where}.{member.key}") if member.node.kind != NOTHING else ""
            found.setdefault(member.key, value or "")
        return found

    def _commands(self, node: Node, shape: Commands, where: str) -> dict[str, str] | None:
        """Names to commands; commands without a name are numbered."""
        match node.kind:
            case "text":
                texts = {"check": node.text}
            case "a list":
                listed = self._texts(node, Texts(), where) or ()
                texts = {f"check-{number}": text for number, text in enumerate(listed, start=1)}
            case "a mapping":
                texts = self._pairs(node, shape, where) or {}
            case _:
                self._diagnostics.mistake(
                    node.place, f"{where} must be a command or a list of commands, not {node.kind}"
                )
                return None
        if not texts or not all(text.strip() for text in texts.values()):
            self._diagnostics.mistake(node.place, f"{where} must not be empty")
        return texts

    def _block(self, node: Node, shape: Block, where: str, key: str = "") -> Entry | None:
        return self.block(node, TABLES[shape.table], where, key) if self._is(node, MAPPING, where) else None

    def _blocks(self, node: Node, shape: Blocks, where: str) -> tuple[Entry, ...] | None:
        if not self._is(node, LIST, where):
            return None
        if not node.items:
            self._diagnostics.mistake(node.place, f"{where} must not be empty")
        if len(node.items) > shape.most:
            self._diagnostics.mistake(
                node.place, f"{where} has {len(node.items)} entries; at most {shape.most} are allowed"
            )
        inner = Block(table=shape.table)
        found = [self._block(item, inner, _called(item, TABLES[shape.table])) for item in node.items]
        return tuple(entry for entry in found if entry is not None)

    def _named(self, node: Node, shape: Named, where: str) -> tuple[Entry, ...] | None:
        if not self._is(node, MAPPING, where):
            return None
        found: dict[str, Entry] = {}
        for member in node.members:
            if member.key.casefold() in found:
                message = f"{where}: {member.key!r} appears twice; values ignore case"
                self._diagnostics.mistake(member.place, message)
                continue
            found[member.key.casefold()] = self._one(member, shape, f"{where}.{member.key}")
        return tuple(found.values())

    def _one(self, member: Member, shape: Named, where: str) -> Entry:
        node = member.node
        empty = Entry(node=node, place=member.place, key=member.key)
        if node.kind == TEXT:
            if node.text != shape.word:
                message = f"{where} must be {MAPPING} or the word {shape.word!r}, not {shown(node.text)}"
                self._diagnostics.mistake(node.place, message)
            return empty
        return self._block(node, Block(table=shape.table), where, member.key) or empty


def _called(node: Node, table: Table) -> str:
    """The name of a list item in messages: with its id if it has one."""
    named = next((member.node.text for member in node.members if member.key == "id"), "")
    return f"{table.called} {shown(named)}" if named else f"this {table.called}"


def _unquoted(node: Node, kind: str) -> str:
    """YAML reads `{{name}}` without quotes as a mapping, which is a common surprise."""
    return "; put {{…}} in quotes" if kind == TEXT and node.kind == MAPPING else ""
