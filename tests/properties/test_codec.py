"""Every fact can be encoded and decoded again, and nothing else can be decoded."""

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shiftwork.domain import codec
from shiftwork.domain.core.fact import Fact
from shiftwork.errors import CodecError
from shiftwork.testing.strategies import QUICK, facts, values

each_kind = pytest.mark.parametrize("kind", sorted(codec.KINDS))

OF_EACH_TYPE: dict[type, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(),
    float: st.floats(allow_nan=False),
    str: st.text(max_size=5),
    list: st.lists(st.text(max_size=5) | st.integers(), max_size=3),
    dict: st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.integers(), max_size=3),
}


def through_json(body: dict[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(json.dumps(body))
    return read


@each_kind
@given(data=st.data())
@settings(QUICK, max_examples=12)
def test_every_kind_of_fact_survives_json(kind: str, data: st.DataObject) -> None:
    fact = data.draw(values(codec.KINDS[kind]))
    encoded = codec.encode(fact)
    assert encoded.kind == kind
    again = codec.decode(encoded.kind, encoded.version, through_json(encoded.body))
    assert again == fact
    assert codec.encode(again) == encoded


def spots(body: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of the values in a body, at any depth."""
    inner = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ()
    return [path, *(spot for key, value in inner for spot in spots(value, (*path, key)))]


def changed(body: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    first, *rest = path
    copy = dict(body) if isinstance(body, dict) else list(body)
    copy[first] = changed(body[first], tuple(rest), value)
    return copy


def at(body: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        body = body[key]
    return body


@given(fact=facts(), data=st.data())
@settings(QUICK, max_examples=120)
def test_a_value_of_another_type_is_refused_wherever_it_stands(fact: Fact, data: st.DataObject) -> None:
    encoded = codec.encode(fact)
    spot = data.draw(st.sampled_from([spot for spot in spots(encoded.body) if at(encoded.body, spot) is not None]))
    right = type(at(encoded.body, spot))
    fitting = {float, int} if right is float else {right}
    wrong = data.draw(st.one_of(*(drawn for of, drawn in OF_EACH_TYPE.items() if of not in fitting)))
    with pytest.raises(CodecError, match="cannot be read"):
        codec.decode(encoded.kind, encoded.version, changed(encoded.body, spot, wrong))


@given(kind=st.text(max_size=12), version=st.integers(), body=st.one_of(*OF_EACH_TYPE.values()))
def test_what_no_release_has_written_is_refused(kind: str, version: int, body: Any) -> None:
    assume(kind not in codec.KINDS)
    with pytest.raises(CodecError):
        codec.decode(kind, version, body)


@given(fact=facts(), version=st.integers().filter(lambda number: number != 1))
@QUICK
def test_another_version_than_the_present_one_is_refused(fact: Fact, version: int) -> None:
    encoded = codec.encode(fact)
    with pytest.raises(CodecError):
        codec.decode(encoded.kind, version, encoded.body)
