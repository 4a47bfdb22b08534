"""Reads values from a JSON object by any of their names; a value of the wrong type becomes a mistake at its offset.

Reads are recorded, so that everything else can be listed as not used without a second list of names.
"""

import json
from collections.abc import Iterator
from functools import cache
from typing import Final

from shiftwork.adapters.specs._document import Mistake
from shiftwork.adapters.specs.prd.json_document import FLAG, LIST, NUMBER, OBJECT, TEXT, Member, Node
from shiftwork.ports.specs import Unused
from shiftwork.prompts.answer.marked_lines import cleaned
from shiftwork.prompts.answer.problem import nearest
from shiftwork.records import dataclass, field
from shiftwork.regexes import regex


@dataclass(frozen=True, slots=True)
class Record:
    """Collected while reading: mistakes; the offsets of keys that were `read` and of list items that were `refused`;
    and, by the offset of each object, the names that were `sought` in it.
    """

    mistakes: list[Mistake] = field(default_factory=list)
    read: set[int] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)
    sought: dict[int, set[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fields:
    """One object; `where` names it in messages. A missing or wrong field reads as empty."""

    node: Node
    where: str
    record: Record = field(default_factory=Record)

    @property
    def mistakes(self) -> list[Mistake]:
        return self.record.mistakes

    def inside(self, node: Node, where: str) -> "Fields":
        """An object within this object, read into the same record."""
        return Fields(node, where, self.record)

    def member(self, *names: str) -> Member | None:
        """The first member with one of these names; it counts as read from now on."""
        self.record.sought.setdefault(self.node.start, set()).update(names)
        found = self.node.member(*names)
        if found:
            self.record.read.add(found.at)
        return found

    def text(self, *names: str, required: bool = False) -> str:
        member = self._member(names, TEXT, required=required)
        value = str(member.node.value).strip() if member else ""
        if member and required and not value:
            self._complain(member.node.start, f"{member.key} must not be empty")
        return cleaned(value)

    def texts(self, *names: str) -> tuple[tuple[str, int], ...]:
        """The texts of a list, each with its offset; empty texts are skipped."""
        return tuple(
            (cleaned(str(item.value)).strip(), item.start)
            for item in self._items(names, TEXT)
            if str(item.value).strip()
        )

    def statements(self, *names: str) -> tuple[str, ...]:
        """The sentences of a list, which may be objects with an id and a text, or the only sentence; anything else is
        listed as not used.
        """
        known = self.node.member(*names)
        if known and known.node.kind not in {LIST, TEXT}:
            return ()
        self.member(*names)
        items = known.node.items if known and known.node.kind == LIST else (known.node,) if known else ()
        return tuple(filter(None, map(self._statement, items)))

    def _statement(self, item: Node) -> str:
        if item.kind == OBJECT:
            entry = self.inside(item, "statement")
            parts = (entry.text("id"), entry.text("title"), entry.text("description", "text", "requirement"))
            return ": ".join(filter(None, parts))
        if item.kind != TEXT:
            self.record.refused.add(item.start)
        return cleaned(str(item.value)).strip() if item.kind == TEXT else ""

    def objects(self, *names: str, required: bool = False) -> tuple[Node, ...]:
        return self._items(names, OBJECT, required=required)

    def number(self, name: str, default: int, least: int, most: int) -> int:
        member = self._member((name,), NUMBER)
        value = member.node.value if member else default
        if not isinstance(value, int) or not least <= value <= most:
            self._complain(member.node.start if member else self.node.start, f"{name} must be {least} to {most}")
            return default
        return value

    def count(self, *names: str, most: int) -> int | None:
        """A limit; None where it is missing or 0, which means no limit."""
        member = self._member(names, NUMBER)
        value = member.node.value if member else None
        if member and (not isinstance(value, int) or not 0 <= value <= most):
            self._complain(member.node.start, f"{member.key} must be 0 to {most}")
        return value or None if isinstance(value, int) else None

    def flag(self, name: str) -> bool:
        member = self._member((name,), FLAG)
        return bool(member.node.value) if member else False

    def at(self, *names: str) -> int:
        """The offset of the value, or of the whole object."""
        member = self.node.member(*names)
        return member.node.start if member else self.node.start

    def _items(self, names: tuple[str, ...], kind: str, *, required: bool = False) -> tuple[Node, ...]:
        member = self._member(names, LIST, required=required)
        items = member.node.items if member else ()
        if member and required and not items:
            self._complain(member.node.start, f"{member.key} must not be empty")
        for item in items:
            if item.kind != kind:
                self._complain(item.start, f"{self._name(names)} must hold {_PLURAL[kind]}, not {item.kind}")
        return tuple(item for item in items if item.kind == kind)

    def _member(self, names: tuple[str, ...], kind: str, *, required: bool = False) -> Member | None:
        member = self.member(*names)
        if member is None or (member.node.kind == "null" and not required):
            if required:
                close = nearest(names[0], [known.key for known in self.node.members])
                guess = f"; misspelled as {close!r}?" if close else ""
                self._complain(self.node.start, f"{self.where} has no {names[0]}{guess}")
            return None
        if member.node.kind != kind:
            self._complain(member.node.start, f"{member.key} must be {kind}, not {member.node.kind}")
            return None
        return member

    def _name(self, names: tuple[str, ...]) -> str:
        member = self.node.member(*names)
        return member.key if member else names[0]

    def _complain(self, at: int, text: str) -> None:
        self.mistakes.append(Mistake(at=at, text=text))


_PLURAL = {TEXT: "texts", OBJECT: "objects"}


def repeated_keys(node: Node) -> Iterator[Mistake]:
    seen: set[str] = set()
    for member in node.members:
        if member.key in seen:
            yield Mistake(at=member.at, text=f"the key {member.key!r} appears twice")
        seen.add(member.key)


# What was not used -----------------------------------------------------------------------------------------------

_METADATA: Final = frozenset(
    {"createdAt", "updatedAt", "created_at", "updated_at", "version", "metadata", "labels", "sourcePrd", "$schema"}
    | {"project", "name"}
)
"""Known fields that do not affect the work. This list only labels unused fields; it does not decide what is unused."""

_COMMENT: Final = "_"
"""Keys that begin with this are comments and belong to the user."""

_PLAIN_KEY: Final = regex(r"[\w$-]+")


def unused(node: Node, record: Record, path: str = "") -> Iterator[Unused]:
    """Every member below the object that was not read, by its path."""
    missing = frozenset(record.sought.get(node.start, ())) - {member.key for member in node.members}
    for member in node.members:
        where = _below(path, member.key)
        if member.at in record.read:
            yield from _inside(member.node, record, where)
        elif not member.key.startswith(_COMMENT):
            known = member.key in _METADATA
            yield Unused(path=where, known=known, meant="" if known else _meant(member.key, missing))


def _inside(node: Node, record: Record, path: str) -> Iterator[Unused]:
    if node.kind == OBJECT:
        yield from unused(node, record, path)
    for number, item in enumerate(node.items):
        where = f"{path}[{number}]"
        if item.start in record.refused:
            yield Unused(path=where)
        else:
            yield from _inside(item, record, where)


def _below(path: str, key: str) -> str:
    if not _PLAIN_KEY.fullmatch(key):
        return f"{path}[{json.dumps(key)}]"
    return f"{path}.{key}" if path else key


@cache
def _meant(key: str, missing: frozenset[str]) -> str:
    return nearest(key, missing)
