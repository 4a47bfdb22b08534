"""Histories as files: facts as rows, with results that later releases can compare.

The contents of a state may change with each release. So a history is recorded with its visible results: the keys of the
effects due after each fact, the effects due at its end, and the rows that front ends read.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from shiftwork.app.runtime.streams import LANDING_KIND, RUN_KIND, STORY_KIND, Kind
from shiftwork.domain.codec import decode, encode
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.plain import to_plain
from shiftwork.ports.rows.row_columns import columns

type Row = dict[str, Any]

_KINDS: Final[dict[str, Kind[Any]]] = {"run": RUN_KIND, "story": STORY_KIND, "landing": LANDING_KIND}


def rows_of(facts: Iterable[Fact]) -> list[Row]:
    return [to_plain(encode(fact)) for fact in facts]


def facts_of(rows: Iterable[Row]) -> list[Fact]:
    return [decode(row["kind"], row["version"], row["body"]) for row in rows]


def result_of(stream: str, facts: Sequence[Fact]) -> Row:
    """The results of a history, as JSON values."""
    kind = _KINDS[stream.partition("/")[0]]
    state, due = kind.state.start, []
    for fact in facts:
        state = kind.state.evolve(state, fact)
        due.append([effect.key for effect in kind.decide(state)])
    return {
        "due": due,
        "effects": [_named(effect, to_plain(effect)) for effect in kind.decide(state)],
        "rows": [
            _named(row, {name: to_plain(value) for name, value in columns(row).items()})
            for row in kind.rows(kind.state.start, state)
        ],
    }


def _named(value: Any, fields: Row) -> Row:
    return {"kind": type(value).__name__, **_plain(fields)}


def _plain(value: Any) -> Any:
    """Mappings by key, sets sorted."""
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    return [_plain(part) for part in value] if isinstance(value, list) else value


def differences(recorded: Any, present: Any, path: str = "") -> list[str]:
    """Where a recorded result differs from the present result; later additions are no difference."""
    if isinstance(recorded, dict) and isinstance(present, dict):
        return [
            found
            for key, value in recorded.items()
            for found in differences(value, present.get(key, "(gone)"), f"{path}.{key}")
        ]
    if isinstance(recorded, list) and isinstance(present, list) and len(recorded) == len(present):
        pairs = enumerate(zip(recorded, present, strict=True))
        return [found for number, (left, right) in pairs for found in differences(left, right, f"{path}[{number}]")]
    return [] if recorded == present else [f"{path}: recorded {recorded!r}, now {present!r}"]
