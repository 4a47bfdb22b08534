"""`dataclass` and `replace` as in `dataclasses`, but quick to import: methods are made when they are first used.

`dataclasses.dataclass` writes, compiles and runs six functions for each class at import, although a command uses few of
the classes that it imports, and few methods of each. Here a class is created with its slots, and every method is a
`_Later`, which makes the method at its first use and leaves it in its place. Type checkers
see `dataclasses.dataclass` itself; `fields`, `asdict`, `is_dataclass`, `match` and `inspect.signature` see a dataclass.
`dataclasses` is imported only when one of them looks, because it loads `inspect`.

Slots are required, and the options that nobody uses (`order`, `eq`, `InitVar`, ...) do not exist. Mistakes that mypy
reports, such as a mutable record that inherits from a frozen one, are not looked for at run time.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from reprlib import recursive_repr
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Final

if TYPE_CHECKING:
    from dataclasses import Field, dataclass, field, replace

__all__ = ["attributes", "dataclass", "field", "is_record", "replace"]

_FIELDS: Final = "__dataclass_fields__"
_PARAMS: Final = "__dataclass_params__"

_COPIES: Final[dict[type, Callable[[Any, dict[str, Any]], Any]]] = {}
"""How to copy a record with changes, by its class; only of classes whose `__init__` does nothing but keep values."""


class _Given:
    """The arguments of `field`."""

    def __init__(self, **arguments: Any) -> None:
        self.arguments = arguments


class Attribute:
    """A field of a record. `default` is the default or its factory."""

    def __init__(self, name: str, kind: Any, given: dict[str, Any], *, kw_only: bool) -> None:
        self.name, self.type = name, kind
        self.has_factory = "default_factory" in given
        self.default = given["default_factory"] if self.has_factory else given.get("default", _MISSING)
        self.is_required = self.default is _MISSING
        self.init, self.repr = given.get("init", True), given.get("repr", True)
        self.compare, self.hash, self.kw_only = given.get("compare", True), given.get("hash"), kw_only
        self.metadata: Mapping[str, Any] = given.get("metadata", {})


_MISSING: Final = object()
_DECLARED: Final[dict[type, Callable[[], Iterable[Attribute]]]] = {}
"""How to make the fields that a record itself declares."""


def attributes(cls: type) -> tuple[Attribute, ...]:
    """The fields of a record, as `dataclasses.fields`."""
    found: dict[str, Attribute] = {}
    for base in reversed(cls.__mro__):
        found |= {one.name: one for one in _DECLARED.get(base, tuple)()}
    return tuple(found.values())


def is_record(kind: object) -> bool:
    return kind in _DECLARED


class _Factory:
    def __repr__(self) -> str:
        return "<factory>"


_FACTORY: Final = _Factory()
"""The default, in the signature, of a field that has a factory."""


class _Later:
    """An attribute of a class that is made at its first use, and then replaced by what was made."""

    __slots__ = ("make", "name", "owner")

    def __init__(self, make: Callable[[type], Any]) -> None:
        self.make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __get__(self, record: object, kind: type | None = None) -> Any:
        made = self.make(self.owner)
        setattr(self.owner, self.name, made)
        return made.__get__(record, kind) if isinstance(made, FunctionType) else made


def _record(*, slots: bool, frozen: bool = False, kw_only: bool = False) -> Callable[[type], type]:
    options = {"slots": slots, "frozen": frozen, "kw_only": kw_only}
    if not slots:
        raise TypeError("a record has slots: @dataclass(slots=True)")

    def decorate(cls: type) -> type:
        namespace, annotations = dict(cls.__dict__), cls.__annotations__
        names = [name for name, kind in annotations.items() if getattr(kind, "__origin__", kind) is not ClassVar]
        defaults = {name: namespace.pop(name) for name in names if name in namespace}
        if mutable := [name for name, default in defaults.items() if default.__class__.__hash__ is None]:
            raise ValueError(
                f"use field(default_factory=...) for the mutable default of {cls.__qualname__}.{mutable[0]}"
            )
        inherited = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
        for name in ("__dict__", "__weakref__"):
            namespace.pop(name, None)
        if "__eq__" in namespace and namespace["__hash__"] is None:
            del namespace["__hash__"]  # Python's, not the author's
        record = type(cls)(
            cls.__name__,
            cls.__bases__,
            {name: make and _Later(make) for name, make in (_FROZEN if frozen else _MUTABLE).items()}
            | (_PICKLED if frozen else {})
            | namespace
            | {
                "__slots__": tuple(name for name in names if name not in inherited),
                _FIELDS: _Later(lambda made: _fields(made, annotations, defaults, kw_only=kw_only)),
                _PARAMS: _Later(lambda _: getattr(_alike("Any", {}, options), _PARAMS)),
            },
        )
        record.__qualname__ = cls.__qualname__
        _DECLARED[record] = lambda: [
            Attribute(name, annotations[name], _given(defaults, name), kw_only=kw_only) for name in names
        ]
        return record

    return decorate


def _real() -> Any:
    import dataclasses  # noqa: PLC0415 - slow to import, rarely needed

    return dataclasses


def _given(defaults: dict[str, Any], name: str) -> dict[str, Any]:
    default = defaults.get(name, _MISSING)
    return default.arguments if isinstance(default, _Given) else {"default": default}


def _fields(
    cls: type, annotations: dict[str, Any], defaults: dict[str, Any], *, kw_only: bool
) -> dict[str, "Field[Any]"]:
    found: dict[str, Field[Any]] = {}
    for base in cls.__mro__[-1:0:-1]:
        found |= getattr(base, _FIELDS, {})
    given = {name: _real().field(**one.arguments) if isinstance(one, _Given) else one for name, one in defaults.items()}
    namespace = {"__annotations__": annotations, "__module__": cls.__module__, **given}
    own: dict[str, Field[Any]] = getattr(_alike(cls.__name__, namespace, {"kw_only": kw_only}), _FIELDS)
    return found | own


def _alike(name: str, namespace: dict[str, Any], options: dict[str, bool]) -> type:
    """A dataclass without methods. It has a docstring because `dataclasses` takes long to write one."""
    made: type = _real().dataclass(init=False, repr=False, eq=False, **options)(
        type(name, (), {"__doc__": name, **namespace})
    )
    return made


def _init(cls: type) -> FunctionType:
    fields, setters = attributes(cls), _setters(cls)
    taken = [one for one in fields if one.init]
    known: dict[str, Any] = {"__name__": cls.__module__, "__factory": _FACTORY}
    known |= {f"__set_{name}": put for name, put in setters.items()}
    known |= {f"__make_{one.name}": one.default for one in fields}
    me = "__dataclass_self__" if "self" in setters else "self"
    positional, named = ([one for one in taken if one.kw_only is kw_only] for kw_only in (False, True))
    parameters = [me, *(one.name for one in positional), *(("*", *(one.name for one in named)) if named else ())]
    lines = [f"__set_{one.name}({me}, {value})" for one in fields if (value := _value(one))]
    has_more = hasattr(cls, "__post_init__")
    lines.append(f"{me}.__post_init__()" if has_more else "return")
    init = _compiled(f"def __init__({', '.join(parameters)})", lines, known)
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__defaults__ = tuple(_defaults(positional).values())
    init.__kwdefaults__ = _defaults(named)
    init.__annotations__ = {one.name: one.type for one in taken} | {"return": None}
    if not has_more and len(taken) == len(fields):
        _COPIES[cls] = partial(_first_copy, cls)
    return init


def _compiled(head: str, lines: Iterable[str], known: dict[str, Any]) -> FunctionType:
    exec(f"{head}:\n " + "\n ".join(lines), known)  # noqa: S102 - the text is made of names of fields
    made: FunctionType = known.popitem()[1]
    return made


def _defaults(fields: Iterable[Attribute]) -> dict[str, Any]:
    """Of those that have one; the value of a factory is made in the body."""
    return {one.name: _FACTORY if one.has_factory else one.default for one in fields if one.default is not _MISSING}


def _value(one: Attribute) -> str:
    made = f"__make_{one.name}()" if one.has_factory else f"__make_{one.name}"
    if not one.init:
        return "" if one.default is _MISSING else made
    return f"{made} if {one.name} is __factory else {one.name}" if one.has_factory else one.name


def _setters(cls: type) -> dict[str, Callable[[Any, Any], None]]:
    """They set a slot of a frozen record too, and faster than `object.__setattr__`."""
    return {one.name: getattr(cls, one.name).__set__ for one in attributes(cls)}


def _first_copy(cls: type, record: Any, changes: dict[str, Any]) -> Any:
    setters = _setters(cls)
    known: dict[str, Any] = {f"__set_{name}": put for name, put in setters.items()}
    known |= {"cls": cls, "new": object.__new__, "put": setters}
    each = (f"__set_{name}(copied, record.{name})" for name in setters)
    change = "for name, value in changes.items(): put[name](copied, value)"
    _COPIES[cls] = _compiled("def copy(record, changes)", ("copied = new(cls)", *each, change, "return copied"), known)
    return _COPIES[cls](record, changes)


def _replaced(record: Any, /, **changes: Any) -> Any:
    try:
        return _COPIES[record.__class__](record, changes)
    except KeyError:  # an unknown class, or an unknown name
        return _real().replace(record, **changes)


def _values(names: Iterable[str]) -> Callable[[Any], tuple[Any, ...]]:
    return _compiled("def values(record)", [f"return ({''.join(f'record.{name}, ' for name in names)})"], {})


def _eq(cls: type) -> Callable[[Any, Any], bool]:
    values = _values(one.name for one in attributes(cls) if one.compare)

    def __eq__(self: Any, other: Any) -> bool:  # noqa: N807 - the name that it gets
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(cls: type) -> Callable[[Any], int]:
    values = _values(one.name for one in attributes(cls) if (one.compare if one.hash is None else one.hash))

    def __hash__(self: Any) -> int:  # noqa: N807 - as above
        return hash(values(self))

    return __hash__


def _repr(cls: type) -> Callable[[Any], str]:
    names = [one.name for one in attributes(cls) if one.repr]

    @recursive_repr()
    def __repr__(self: Any) -> str:  # noqa: N807 - as above
        return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _setattr(cls: type[Any]) -> Callable[[Any, str, Any], None]:
    names = {one.name for one in attributes(cls)}

    def __setattr__(self: Any, name: str, value: Any) -> None:  # noqa: N807 - as above
        if type(self) is cls or name in names:
            raise _real().FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    return __setattr__


def _delattr(cls: type[Any]) -> Callable[[Any, str], None]:
    names = {one.name for one in attributes(cls)}

    def __delattr__(self: Any, name: str) -> None:  # noqa: N807 - as above
        if type(self) is cls or name in names:
            raise _real().FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return __delattr__


def _match_args(cls: type) -> tuple[str, ...]:
    return tuple(one.name for one in attributes(cls) if one.init and not one.kw_only)


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in _real().fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for one, value in zip(_real().fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)


_MUTABLE: Final = {"__init__": _init, "__eq__": _eq, "__hash__": None, "__repr__": _repr, "__match_args__": _match_args}
_FROZEN: Final = _MUTABLE | {"__hash__": _hash, "__setattr__": _setattr, "__delattr__": _delattr}
_PICKLED: Final = {"__getstate__": _getstate, "__setstate__": _setstate}

if not TYPE_CHECKING:
    dataclass, field, replace = _record, _Given, _replaced
