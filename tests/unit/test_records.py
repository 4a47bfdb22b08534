"""A record behaves like a dataclass: each case is made twice, by `dataclasses` and by `records`, and compared."""

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork import records

type Made = tuple[type[Any], type[Any]]

FLAGS = st.fixed_dictionaries({"compare": st.booleans(), "repr": st.booleans(), "hash": st.sampled_from([None, True])})
VALUES = st.none() | st.integers(0, 3) | st.text("ab", max_size=2) | st.tuples(st.integers(0, 1))
NAMES = st.sampled_from(["self", "a", "_b", "missing", "set_a", "make_a", "record", "cls", "name", "values"])


@st.composite
def shapes(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    """The arguments of `field` by name; fields with a default come last, as positional parameters must."""
    names = draw(st.lists(NAMES, unique=True, max_size=6))
    bare = draw(st.integers(0, len(names)))
    kinds = st.sampled_from(["default", "factory", "fixed", "made"])
    shape: dict[str, dict[str, Any]] = {name: dict(draw(FLAGS)) for name in names}
    for name in names[bare:]:
        kind, value = draw(kinds), draw(VALUES)
        shape[name] |= {"default_factory": lambda: [1]} if kind in {"factory", "made"} else {"default": value}
        shape[name] |= {"init": False} if kind in {"fixed", "made"} else {}
    return shape


def both(shape: dict[str, dict[str, Any]], bases: Callable[[Any], type] | None = None, **options: bool) -> Made:
    def made(module: Any) -> type[Any]:
        namespace: dict[str, Any] = {name: module.field(**how) for name, how in shape.items()}
        namespace |= {"__annotations__": dict.fromkeys(shape, Any), "__doc__": "Some.", "__module__": __name__}
        kind: type[Any] = module.dataclass(slots=True, **options)(
            type("Some", (bases(module),) if bases else (), namespace)
        )
        return kind

    return made(dataclasses), made(records)


def outcome(act: Callable[[], Any]) -> Any:
    """What a call returns or raises."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - any must be the same
        return type(error), str(error)


def described(kind: type[Any]) -> list[Any]:
    names = ("name", "type", "default", "init", "repr", "hash", "compare", "kw_only")
    fields = [[getattr(one, name) for name in names] for one in dataclasses.fields(kind)]
    params = repr(kind.__dataclass_params__).replace("init=False,repr=False,eq=False", "init=True,repr=True,eq=True")
    return [
        fields,
        params,
        kind.__match_args__,
        str(inspect.signature(kind)),
        kind.__slots__,
        (kind.__name__, kind.__qualname__, kind.__module__, kind.__doc__),
        dataclasses.is_dataclass(kind),
        kind.__hash__ is None,
        sorted(set(dir(kind)) - {"__replace__"}),
    ]


def used(kind: type[Any], words: list[Any], named: dict[str, Any], changes: dict[str, Any], replace: Any) -> list[Any]:
    record = outcome(lambda: kind(*words, **named))
    if isinstance(record, tuple):
        return [record]
    same = kind(*words, **named)
    other = outcome(lambda: replace(record, **changes))
    names = [one.name for one in dataclasses.fields(kind)]
    return [
        repr(record),
        [record == same, record == other, record != other, record == 3, record.__eq__(3)],
        [outcome(lambda: hash(record)), outcome(lambda: hash(other))],
        repr(other),
        outcome(lambda: dataclasses.asdict(record)),
        [copy.copy(record) == record, copy.deepcopy(record) == record, repr(copy.deepcopy(record))],
        [[outcome(partial(setattr, same, name, 5)) for name in names], repr(same)],
        [[outcome(partial(delattr, same, name)), hasattr(same, name)] for name in names],
    ]


CHANGES = st.dictionaries(NAMES, VALUES, max_size=3)


@given(shape=shapes(), frozen=st.booleans(), kw_only=st.booleans())
def test_a_record_is_described_like_a_dataclass(shape: dict[str, Any], *, frozen: bool, kw_only: bool) -> None:
    real, ours = both(shape, frozen=frozen, kw_only=kw_only)
    assert described(ours) == described(real)


@given(st.data())
def test_a_record_is_used_like_a_dataclass(data: st.DataObject) -> None:
    shape, frozen, kw_only = data.draw(shapes()), data.draw(st.booleans()), data.draw(st.booleans())
    real, ours = both(shape, frozen=frozen, kw_only=kw_only)
    wanted = [name for name, how in shape.items() if how.get("init", True) and data.draw(st.booleans() | st.just(True))]
    words = data.draw(st.lists(VALUES, max_size=len(wanted))) if not kw_only or data.draw(st.booleans()) else []
    named = {name: data.draw(VALUES) for name in wanted[len(words) :]} | data.draw(st.just({}) | CHANGES)
    changes = data.draw(CHANGES)
    expected = used(real, words, named, changes, dataclasses.replace)
    assert used(ours, words, named, changes, records.replace) == expected
    assert used(ours, words, named, changes, dataclasses.replace) == expected, "the second time, with real `replace`"


@given(shape=shapes(), more=shapes(), frozen=st.booleans())
def test_a_record_inherits_like_a_dataclass(shape: dict[str, Any], more: dict[str, Any], *, frozen: bool) -> None:
    def parent(module: Any) -> type:
        return both(shape, frozen=frozen, kw_only=True)[module is records]

    real, ours = both(more, parent, frozen=frozen, kw_only=True)
    assert described(ours) == described(real)
    named = {name: 1 for name, how in (shape | more).items() if (how.get("init", True))}
    assert used(ours, [], named, {}, records.replace) == used(real, [], named, {}, dataclasses.replace)


def written(module: Any) -> dict[str, type[Any]]:
    """Classes that say something themselves, or that a tool of Python looks at."""

    @module.dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 2
        count: ClassVar[int] = 7

        def __post_init__(self) -> None:
            object.__setattr__(self, "y", self.y + 1)

    @module.dataclass(frozen=True, slots=True, kw_only=True)
    class Box[T]:
        value: T

    @module.dataclass(slots=True)
    class Node:
        child: Any = None

    @module.dataclass(frozen=True, slots=True)
    class Own:  # noqa: PLW1641 - `__hash__` is made
        x: int

        def __eq__(self, other: object) -> bool:
            return True

        def __repr__(self) -> str:
            return "own"

    @module.dataclass(slots=True)
    class Hashed:
        x: int

        def __init__(self, y: int) -> None:
            self.x = y * 2

        def __hash__(self) -> int:
            return 5

    @module.dataclass(frozen=True, slots=True)
    class Nothing:
        """Has no fields."""

    class Plain(Point):
        """An ordinary class below a frozen one."""

    return {kind.__name__: kind for kind in (Point, Box, Node, Own, Hashed, Nothing, Plain)}


def shown(kinds: dict[str, type[Any]], replace: Any) -> list[Any]:
    point, box, node, own = kinds["Point"](1), kinds["Box"](value=3), kinds["Node"](), kinds["Own"](1)
    node.child = node
    plain = kinds["Plain"](4)
    return [
        [repr(point), repr(replace(point, x=3)), kinds["Point"].count, point.__match_args__],
        [repr(box), str(inspect.signature(kinds["Box"]))],
        [repr(node), node == node, outcome(lambda: hash(node))],  # noqa: PLR0124 - equality is what is tested
        [repr(own), own == 3, hash(own), hash(own) == hash((1,))],
        [repr(kinds["Hashed"](2)), hash(kinds["Hashed"](2)), outcome(lambda: replace(kinds["Hashed"](2), x=1))],
        [repr(kinds["Nothing"]()), kinds["Nothing"]() == kinds["Nothing"](), hash(kinds["Nothing"]())],
        [repr(plain), outcome(lambda: setattr(plain, "x", 2)), repr(replace(plain, x=9)), hash(plain)],
        [type(replace(plain, x=9)) is type(plain), plain == point, plain == kinds["Plain"](4)],
    ]


def test_classes_that_say_something_themselves() -> None:
    ours = written(records)
    expected = shown(written(dataclasses), dataclasses.replace)
    assert shown(ours, records.replace) == expected
    assert shown(ours, records.replace) == expected, "the second time, when the methods exist"


@records.dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """To be found by `pickle`."""

    name: str
    items: list[int] = records.field(default_factory=list)


@records.dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The first thing that ever happens to it is that a pickle is read."""

    name: str


def test_a_record_is_pickled_before_and_after_its_first_use() -> None:
    kept = Kept(name="a", items=[1])
    assert pickle.loads(pickle.dumps(kept)) == kept  # noqa: S301 - written here
    fresh = object.__new__(Copied)
    fresh.__setstate__(["a"])  # type: ignore[attr-defined]
    assert records.replace(fresh, name="b") == Copied(name="b")


@records.dataclass(frozen=True, slots=True)
class Pair:
    """To be taken apart."""

    left: int
    right: int


def test_a_record_is_matched_by_position_and_by_name() -> None:
    match Pair(1, 2):
        case Pair(left, right=right):
            assert (left, right) == (1, 2)


def test_every_record_has_its_own_list() -> None:
    assert Kept(name="a").items is not Kept(name="b").items
    assert records.replace(Kept(name="a", items=[1]), name="b") == Kept(name="b", items=[1])


def test_a_dataclass_may_inherit_from_a_record() -> None:
    @dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
    class Below(Kept):
        more: int

    assert repr(Below(name="a", more=1)).endswith("Below(name='a', items=[], more=1)")
    assert records.replace(Below(name="a", more=1), more=2).more == 2


def test_an_unknown_name_is_refused_and_an_ordinary_class_below_may_have_it() -> None:
    """Python 3.12 raises a TypeError for both, because the class with slots is not the class that it looks at."""

    class Open(Kept):
        """Has a dictionary."""

    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'more'"):
        Kept(name="a").more = 1  # type: ignore[attr-defined]
    opened = Open(name="a")
    opened.more = 1  # type: ignore[attr-defined]
    assert vars(opened) == {"more": 1}
    del opened.more  # type: ignore[attr-defined]
    assert vars(opened) == {}
    box = written(records)["Box"]
    assert box[int](value=2) == box(value=2)


def test_a_mutable_default_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"use field\(default_factory=...\) for the mutable default of Some.a"):
        records.dataclass(slots=True)(type("Some", (), {"__annotations__": {"a": list}, "a": []}))


def test_slots_are_required() -> None:
    with pytest.raises(TypeError, match="a record has slots"):
        records.dataclass(slots=False)


def test_no_method_is_made_at_import() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Untouched:
        x: int

    made = [name for name, value in vars(Untouched).items() if inspect.isfunction(value)]
    assert made == ["__getstate__", "__setstate__"]
    assert Untouched(1) != Untouched(2)
    made = [name for name, value in vars(Untouched).items() if inspect.isfunction(value)]
    assert made == ["__init__", "__eq__", "__getstate__", "__setstate__"]


WITHOUT_DATACLASSES = """
import sys
from shiftwork.records import dataclass, field, replace

@dataclass(frozen=True, slots=True)
class Some:
    x: int
    y: tuple = field(default_factory=tuple)

assert replace(Some(1), x=2) == Some(2) and hash(Some(1)) and repr(Some(1)) == "Some(x=1, y=())"
assert not {"dataclasses", "inspect"} & set(sys.modules)
"""


def test_a_record_is_used_without_the_slow_modules() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_DATACLASSES], check=True)
