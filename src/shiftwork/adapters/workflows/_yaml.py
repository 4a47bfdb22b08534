"""YAML 1.2 with places: a tree of values that know where they stand, of bounded size and depth.

Composed and not constructed: nothing in the file makes an object. Aliases are followed, and each time one is followed
counts, so that a small file cannot unfold into a large one.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

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
    """Line and column, both counted from 1, as editors do."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value between two offsets of the text: of a scalar `text` is how it is written and `value` what it means, of
    a list `items`, of a mapping `members`.
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
    """A key of a mapping, where it stands, and its value."""

    key: str
    place: Place
    node: Node


class UnreadableError(Exception):
    """The text cannot be understood beyond this place."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(message)
        self.place = place
        self.message = message


def parse(text: str) -> Node:
    """The tree of the one document in the text; raises UnreadableError."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - only whoever reads a workflow file waits for it
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415 - as above

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an anchor that is used twice is allowed
            _look_down(YAML(typ="safe", pure=True).parse(text))
            root = YAML(typ="safe", pure=True).compose(text)
    except YAMLError as error:
        raise _unreadable(error) from None
    if root is None:
        raise UnreadableError(Place(), "the file is empty")
    return _Tree().node(root, 0)


def _look_down(events: Iterable[Any]) -> None:
    """Refuse what is nested too deep while it is read: to compose it takes minutes, or more stack than there is."""
    depth = 0
    for event in events:
        depth += _STEPS_DOWN.get(type(event).__name__, 0)
        if depth > _DEEPEST:
            raise UnreadableError(_place(event.start_mark), f"values are nested more than {_DEEPEST} deep")


_STEPS_DOWN: Final = {"SequenceStartEvent": 1, "MappingStartEvent": 1, "SequenceEndEvent": -1, "MappingEndEvent": -1}

_PLAINLY: Final = {
    "mapping values are not allowed here": "a ':' where none can be: quote the text, or mend the indentation",
    "found character '\\t' that cannot start any token": "a tab cannot indent; use spaces",
    "found undefined alias": "an alias '*name' that no anchor '&name' stands for",
    "found unexpected end of stream": "a quote that is never closed",
    "expected <block end>": "the indentation does not fit what stands before",
    "could not find expected ':'": "a key without ':'",
    "but found another document": "only one document may stand in a file",
    "cannot start any token": "this character cannot begin a value: put the text in quotes",
    "found unexpected ':'": "a ':' where none can be: quote the text",
}


def _unreadable(error: Any) -> UnreadableError:
    problem = str(getattr(error, "problem", "") or str(error).partition("\n")[0])
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if "end of stream" in problem:
        mark = getattr(error, "context_mark", None) or mark  # where it begins helps more than where the file ends
    told = next((plain for known, plain in _PLAINLY.items() if known in problem), problem)
    return UnreadableError(_place(mark) if mark else Place(), f"this is no YAML: {told}")


def _place(mark: Any) -> Place:
    return Place(line=mark.line + 1, column=mark.column + 1)


class _Tree:
    """Makes our nodes of ruamel's, counting them."""

    def __init__(self) -> None:
        self._count = 0

    def node(self, raw: Any, depth: int) -> Node:
        place = _place(raw.start_mark)
        self._count += 1
        if self._count > _LARGEST_TREE:
            raise UnreadableError(place, f"more than {_LARGEST_TREE:,} values, aliases unfolded: that is no workflow")
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
            raise UnreadableError(place, "a key must be a word; text that begins with {{ must stand in quotes")
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
    """What cannot be read as an ordinary number, such as hours and minutes, is text."""
    try:
        value = float(text.replace("_", ""))
    except ValueError:
        return TEXT, text
    return NUMBER, int(value) if value.is_integer() and abs(value) < 2**53 else value
