"""Attempts by the time that they took, for stores that hold rows and not tables."""

from collections.abc import Iterable, Sequence

from shiftwork.ports.rows.row_parts import AttemptSum
from shiftwork.ports.views import AttemptRow


def attempts_in(rows: Iterable[AttemptRow], story: str, since: float, until: float) -> Sequence[AttemptRow]:
    """See `Queries.attempts`."""
    return [
        row
        for row in rows
        if row.story == (story or row.story) and row.ended_at >= since and row.ended_at - _took(row) <= until
    ]


def sums_of(rows: Iterable[AttemptRow], before: float) -> Sequence[AttemptSum]:
    """See `Queries.attempt_sums`."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row.ended_at < before:
            found.setdefault((row.story, row.ending), []).append(_took(row))
    return [
        AttemptSum(story=story, ending=ending, number=len(took), seconds=sum(took), longest=max(took))
        for (story, ending), took in sorted(found.items())
    ]


def _took(row: AttemptRow) -> float:
    return 0.0 if row.started_at is None else row.ended_at - row.started_at
