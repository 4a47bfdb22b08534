"""Converts values to plain JSON, and back by their types."""

import types
import typing
from collections.abc import Callable
from enum import StrEnum
from functools import cache
from typing import Any

from shiftwork.records import attributes, is_record


def to_plain(value: Any) -> Any:
    """Any value of the domain as JSON values."""
    kind: type = type(value)
    return _writer(kind)(value)


@cache
def _writer(kind: type) -> Callable[[Any], Any]:
    """How to write values of a type, computed once: see `_reader`."""
    if is_record(kind):
        names = tuple(each.name for each in attributes(kind))
        return lambda value: {name: to_plain(getattr(value, name)) for name in names}
    if issubclass(kind, tuple):
        return lambda value: [to_plain(item) for item in value]
    if issubclass(kind, StrEnum):
        return lambda value: value.value
    return lambda value: value


def from_plain(wanted: Any, value: Any) -> Any:
    """Returns the value of type `wanted` that `to_plain` wrote. Raises Lookup-, Type-, Value- or OverflowError
    otherwise.
    """
    return _reader(wanted)(value)


@cache
def _reader(wanted: Any) -> Callable[[Any], Any]:
    """How to read a type, computed once: reflection on every fact would cost more than the database."""
    wanted = getattr(wanted, "__supertype__", wanted)
    origin = typing.get_origin(wanted)
    if origin in {types.UnionType, typing.Union}:
        (inner,) = (part for part in typing.get_args(wanted) if part is not types.NoneType)
        return _optional(_reader(inner))
    if origin is tuple:
        return _tuple(typing.get_args(wanted))
    if isinstance(wanted, type) and issubclass(wanted, StrEnum):
        return wanted
    if is_record(wanted):
        return _record(wanted)
    return _plain(wanted)


def _optional(inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else inner(value)


def _tuple(parts: tuple[Any, ...]) -> Callable[[Any], Any]:
    if len(parts) == 2 and parts[1] is Ellipsis:
        inner = _reader(parts[0])
        return lambda value: tuple([inner(item) for item in _checked(list, value)])
    readers = [_reader(part) for part in parts]
    return lambda value: tuple(read(item) for read, item in zip(readers, _checked(list, value), strict=True))


def _record(wanted: Any) -> Callable[[Any], Any]:
    hints = typing.get_type_hints(wanted)
    kinds = {each.name: hints[each.name] for each in attributes(wanted)}
    required = {each.name for each in attributes(wanted) if each.is_required}

    @cache
    def readers() -> dict[str, tuple[Any, Callable[[Any], Any]]]:
        # Computed on first use: a type may contain itself (a loop step contains steps).
        return {name: (getattr(kind, "__supertype__", kind), _reader(kind)) for name, kind in kinds.items()}

    def read(value: Any) -> Any:
        given, known = _checked(dict, value), readers()
        if given.keys() != known.keys():
            if missing := required - given.keys():
                raise KeyError(f"{wanted.__name__} lacks {', '.join(sorted(missing))}")
            given = {name: given[name] for name in known if name in given}
        found = dict[str, Any]()
        for name, part in given.items():
            kind, reader = known[name]
            # Most values are texts and numbers of exactly their type: a call for each would double the time.
            found[name] = part if type(part) is kind else reader(part)
        return wanted(**found)

    return read


def _plain(wanted: Any) -> Callable[[Any], Any]:
    if wanted is float:
        return lambda value: float(_checked((int, float), value))
    return lambda value: _checked(wanted, value)


def _checked(wanted: Any, value: Any) -> Any:
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):  # in Python, True is an int
        raise TypeError(f"expected {wanted}, got {value!r:.80}")
    return value
