"""YAML 1.2 with places: a tree of values with line and column, of bounded size and depth.

Composed and not constructed: nothing in the file creates an object. Aliases are expanded, and every expansion counts,
so that a small file cannot expand into a large tree.
"""

import warnings
from collections.abc import Iterable
from typing import Any, Final

from shiftwork.records import dataclass

_LARGEST_TREE: Final = 20_000
_DEEPEST: Final = 40
_TAG: Final = "tag:yaml.org,2002:"

TEXT: Final = "text"
NUMBER: Final = "a number"
FLAG: Final = "true or false"
NOTHING: Final = "nothing"
LIST: Final = "a list"
MAPPING: Final = "a mapping"
SCALARS: Final = frozenset({TEXT, NUMBER, FLAG})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Line and column, both counted from 1, as in editors."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value between two offsets of the text. A scalar has `text` as written and the parsed `value`, a list has
    `items`, a mapping `members`.
    """

    kind: str
    place: Place
    start: int = 0
    end: int = 0
    text: str = ""
    value: str | float | bool | None = None
    items: tuple["Node", ...] = ()
    members: tuple["Member", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A key of a mapping, its place and its value."""

    key: str
    place: Place
    node: Node


class UnreadableError(Exception):
    """The text cannot be parsed beyond this place."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(message)
        self.place = place
        self.message = message


def parse(text: str) -> Node:
    """The tree of the only document in the text; raises UnreadableError."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - loaded only when a workflow file is read
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415 - as above

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an anchor may be used twice
            _look_down(YAML(typ="safe", pure=True).parse(text))
            root = YAML(typ="safe", pure=True).compose(text)
    except YAMLError as error:
        raise _unreadable(error) from None
    if root is None:
        raise UnreadableError(Place(), "the file is empty")
    return _Tree().node(root, 0)


def _look_down(events: Iterable[Any]) -> None:
    """Rejects deep nesting while parsing events: composing it takes minutes, or overflows the stack."""
    depth = 0
    for event in events:
        depth += _STEPS_DOWN.get(type(event).__name__, 0)
        if depth > _DEEPEST:
            raise UnreadableError(_place(event.start_mark), f"values are nested more than {_DEEPEST} deep")


_STEPS_DOWN: Final = {"SequenceStartEvent": 1, "MappingStartEvent": 1, "SequenceEndEvent": -1, "MappingEndEvent": -1}

_PLAINLY: Final = {
    "mapping values are not allowed here": "a ':' is not allowed here: quote the text, or fix the indentation",
    "found character '\\t' that cannot start any token": "a tab cannot indent; use spaces",
    "found undefined alias": "an alias '*name' without an anchor '&name'",
    "found unexpected end of stream": "a quote that is never closed",
    "expected <block end>": "the indentation does not match the lines before",
    "could not find expected ':'": "a key without ':'",
    "but found another document": "a file may contain only one document",
    "cannot start any token": "this character cannot begin a value: put the text in quotes",
    "found unexpected ':'": "a ':' is not allowed here: quote the text",
}


def _unreadable(error: Any) -> UnreadableError:
    problem = str(getattr(error, "problem", "") or str(error).partition("\n")[0])
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if "end of stream" in problem:
        mark = getattr(error, "context_mark", None) or mark  # the start of the value is more useful than the file's end
    message = next((plain for known, plain in _PLAINLY.items() if known in problem), problem)
    return UnreadableError(_place(mark) if mark else Place(), f"this is not YAML: {message}")


def _place(mark: Any) -> Place:
    return Place(line=mark.line + 1, column=mark.column + 1)


class _Tree:
    """Converts ruamel's nodes to ours, counting them."""

    def __init__(self) -> None:
        self._count = 0

    def node(self, raw: Any, depth: int) -> Node:
        place = _place(raw.start_mark)
        self._count += 1
        if self._count > _LARGEST_TREE:
            raise UnreadableError(place, f"more than {_LARGEST_TREE:,} values with aliases expanded: too many")
        if depth > _DEEPEST:
            raise UnreadableError(place, f"values are nested more than {_DEEPEST} deep")
        if isinstance(raw.value, str):
            return self._scalar(raw, place)
        if raw.id == "sequence":
            items = tuple(self.node(item, depth + 1) for item in raw.value)
            return Node(kind=LIST, place=place, start=raw.start_mark.index, end=raw.end_mark.index, items=items)
        members = tuple(self._member(key, value, depth) for key, value in raw.value)
        return Node(kind=MAPPING, place=place, start=raw.start_mark.index, end=raw.end_mark.index, members=members)

    def _member(self, key: Any, value: Any, depth: int) -> Member:
        place = _place(key.start_mark)
        if not isinstance(key.value, str):
            raise UnreadableError(place, "a key must be a word; text that begins with {{ must be in quotes")
        if str(key.tag) == f"{_TAG}merge":
            raise UnreadableError(place, "'<<' is not YAML 1.2: write the keys out, or use an alias for a whole value")
        return Member(key=key.value, place=place, node=self.node(value, depth + 1))

    def _scalar(self, raw: Any, place: Place) -> Node:
        kind, value = _meaning(str(raw.tag).removeprefix(_TAG), raw.value)
        if kind is None:
            raise UnreadableError(place, f"the tag {raw.tag} is not understood here; leave it out")
        return Node(
            kind=kind, place=place, start=raw.start_mark.index, end=raw.end_mark.index, text=raw.value, value=value
        )


def _meaning(tag: str, text: str) -> tuple[str | None, str | float | bool | None]:
    match tag:
        case "str" | "timestamp":
            return TEXT, text
        case "int" | "float":
            return _number(text)
        case "bool":
            return FLAG, text.lower() == "true"
        case "null":
            return NOTHING, None
        case _:
            return None, None


def _number(text: str) -> tuple[str, str | float]:
    """Values that are not ordinary numbers, such as hours and minutes, are text."""
    try:
        value = float(text.replace("_", ""))
    except ValueError:
        return TEXT, text
    return NUMBER, int(value) if value.is_integer() and abs(value) < 2**53 else value
