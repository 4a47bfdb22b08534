"""JSON with offsets: every value has its offset, so that a single value can be changed and the rest left alone."""

import json
from collections.abc import Iterator
from typing import Final, Never

from shiftwork.adapters.specs._document import UnreadableError
from shiftwork.records import dataclass
from shiftwork.regexes import regex

_DEEPEST: Final = 100
_SPACE: Final = regex(r"[ \t\r\n]*")
_BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value between two offsets. A scalar is in `value`, a list in `items`, an object in `members`."""

    start: int
    end: int
    kind: str
    value: str | int | float | bool | None = None
    items: tuple["Node", ...] = ()
    members: tuple["Member", ...] = ()

    def member(self, *names: str) -> "Member | None":
        """The first member of the object that has one of these names, in the order of the names."""
        known = {member.key: member for member in self.members}
        return next((known[name] for name in names if name in known), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A key between two offsets, and its value."""

    at: int
    key_end: int
    key: str
    node: Node


OBJECT: Final = "an object"
LIST: Final = "a list"
TEXT: Final = "text"
NUMBER: Final = "a whole number"
FLAG: Final = "true or false"
_KINDS: Final = {str: TEXT, bool: FLAG, int: NUMBER, float: "a fraction", type(None): "null"}


def parse(text: str) -> Node:
    """Parses the only value of a text; raises UnreadableError at the offset where it is not JSON."""
    start = len(_BOM) if text.startswith(_BOM) else 0
    node = _Parser(text).value(_after_space(text, start), 0)
    rest = _after_space(text, node.end)
    if rest < len(text):
        raise UnreadableError(rest, "there is more text after the end of the JSON")
    return node


def parse_lines(text: str) -> Iterator[Node]:
    """Parses the values of a text with one value on each line."""
    at = _after_space(text, len(_BOM) if text.startswith(_BOM) else 0)
    while at < len(text):
        node = _Parser(text).value(at, 0)
        yield node
        at = _after_space(text, node.end)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _no_constant(name: str) -> Never:
    raise ValueError(f"{name} is not JSON")


@dataclass(frozen=True, slots=True)
class _Parser:
    text: str

    def value(self, at: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise UnreadableError(at, "this is nested too deeply")
        match self.text[at : at + 1]:
            case "{":
                return self._object(at, depth)
            case "[":
                return self._list(at, depth)
            case _:
                return self._scalar(at)

    def _object(self, start: int, depth: int) -> Node:
        members: list[Member] = []
        at = _after_space(self.text, start + 1)
        while not self._is("}", at):
            if self.text[at : at + 1] != '"':
                self._unexpected(at, "a key in double quotes")
            key = self._scalar(at)
            colon = _after_space(self.text, key.end)
            if not self._is(":", colon):
                self._unexpected(colon, "a colon")
            node = self.value(_after_space(self.text, colon + 1), depth + 1)
            members.append(Member(at=at, key_end=key.end, key=str(key.value), node=node))
            at = self._next(node.end, "}")
        return Node(start=start, end=at + 1, kind=OBJECT, members=tuple(members))

    def _list(self, start: int, depth: int) -> Node:
        items: list[Node] = []
        at = _after_space(self.text, start + 1)
        while not self._is("]", at):
            items.append(self.value(at, depth + 1))
            at = self._next(items[-1].end, "]")
        return Node(start=start, end=at + 1, kind=LIST, items=tuple(items))

    def _next(self, end: int, closing: str) -> int:
        """Where the next member or item begins, or the closing bracket."""
        at = _after_space(self.text, end)
        if self._is(closing, at):
            return at
        if not self._is(",", at):
            self._unexpected(at, f"a comma or {closing}")
        following = _after_space(self.text, at + 1)
        if self._is(closing, following):
            raise UnreadableError(at, f"trailing comma before {closing}")
        return following

    def _scalar(self, at: int) -> Node:
        try:
            value, end = _DECODER.raw_decode(self.text, at)
        except json.JSONDecodeError as error:
            if self.text[at : at + 1] != '"':
                self._unexpected(at, "a value")
            raise UnreadableError(error.pos, f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}") from None
        except ValueError:
            self._unexpected(at, "a JSON value")
        return Node(start=at, end=end, kind=_KINDS[type(value)], value=value)

    def _is(self, wanted: str, at: int) -> bool:
        return self.text[at : at + 1] == wanted

    def _unexpected(self, at: int, wanted: str) -> Never:
        here = self.text[at : at + 2]
        if not here:
            raise UnreadableError(at, f"the file ends where {wanted} was expected")
        if here in {"//", "/*"} or here.startswith("#"):
            raise UnreadableError(at, 'JSON has no comments; a key such as "_comment" is ignored')
        if here.startswith("'"):
            raise UnreadableError(at, "JSON strings need double quotes")
        raise UnreadableError(at, f"{wanted} was expected here, not {here[0]!r}")


_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant)
