"""What a story needs from a person and, at a limit, which limit: as columns, no longer only as text."""

import re
from typing import Any

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0006"
down_revision = "0005"

_COLUMNS = {
    "limit_usd": sa.Double,
    "limit_tokens": sa.BigInteger,
    "limit_spent_usd": sa.Double,
    "limit_spent_tokens": sa.BigInteger,
    "limit_needed_usd": sa.Double,
    "limit_needed_tokens": sa.BigInteger,
}
_stories = sa.table(
    "stories",
    *(sa.column(name) for name in ("run", "story", "waiting", "until", "hold", "limit_of")),
    *(sa.column(name, kind) for name, kind in _COLUMNS.items()),
)


def upgrade(op: Operations) -> None:
    for name in ("hold", "limit_of"):
        op.add_column("stories", sa.Column(name, sa.Text, nullable=False, server_default=sa.text("''")))
    for name, kind in _COLUMNS.items():
        op.add_column("stories", sa.Column(name, kind))
    _read_words(op)


def _read_words(op: Operations) -> None:
    """Fills the columns for stories that already wait, from the texts of earlier releases."""
    connection, of = op.get_bind(), _stories.c
    held = sa.select(of.run, of.story, of.waiting).where(of.waiting != "", of.until.is_(None))
    for run, story, waiting in connection.execute(held).all():
        update = sa.update(_stories).where(of.run == run, of.story == story)
        connection.execute(update.values(_meant(waiting)))


def _meant(waiting: str) -> dict[str, Any]:
    hold, _, message = waiting.partition(": ")
    return {"hold": hold} | (_limit(message) if hold == "limit" else {})


def _limit(message: str) -> dict[str, Any]:
    who, _, sums = message.partition(" has spent ")
    spent, _, needed = sums.partition(" may need ")
    found: dict[str, Any] = {}
    if money := re.search(r"(\d+\.\d+) of (\d+\.\d+) USD", spent):
        found |= {"limit_spent_usd": float(money[1]), "limit_usd": float(money[2])}
    if tokens := re.search(r"(\d+) of (\d+) tokens", spent):
        found |= {"limit_spent_tokens": int(tokens[1]), "limit_tokens": int(tokens[2])}
    if money := re.search(r"(\d+\.\d+) USD", needed):
        found["limit_needed_usd"] = float(money[1])
    if tokens := re.search(r"(\d+) tokens", needed):
        found["limit_needed_tokens"] = int(tokens[1])
    return found and found | {"limit_of": {"the run": "run", "the story": "story"}.get(who, "step")}
