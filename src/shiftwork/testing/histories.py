"""Histories as files: facts as rows, states as what can be compared long after the release that wrote them."""

from collections.abc import Iterable, Mapping
from typing import Any

from shiftwork.domain.codec import decode, encode
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.plain import to_plain

type Row = dict[str, Any]


def rows_of(facts: Iterable[Fact]) -> list[Row]:
    return [to_plain(encode(fact)) for fact in facts]


def facts_of(rows: Iterable[Row]) -> list[Fact]:
    return [decode(row["kind"], row["version"], row["body"]) for row in rows]


def snapshot(state: Any) -> Any:
    """A state as JSON values; mappings by key, sets sorted."""
    plain = to_plain(state)
    if isinstance(plain, Mapping):
        return {key: snapshot(value) for key, value in plain.items()}
    if isinstance(plain, frozenset):
        return sorted(plain)
    return [snapshot(item) for item in plain] if isinstance(plain, list) else plain


def differences(recorded: Any, present: Any, path: str = "") -> list[str]:
    """Where a recorded snapshot is not what is there now; what states have gained since is no difference."""
    if isinstance(recorded, dict) and isinstance(present, dict):
        return [
            found
            for key, value in recorded.items()
            for found in differences(value, present.get(key, "(gone)"), f"{path}.{key}")
        ]
    if isinstance(recorded, list) and isinstance(present, list) and len(recorded) == len(present):
        pairs = enumerate(zip(recorded, present, strict=True))
        return [found for number, (one, two) in pairs for found in differences(one, two, f"{path}[{number}]")]
    return [] if recorded == present else [f"{path}: recorded {recorded!r}, now {present!r}"]
