"""What a story waits for: the cause, the text and the choices as columns, no longer packed in one text."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations
from shiftwork.adapters.store.sql.packed_waits import unpacked

revision = "0017"
down_revision = "0016"

_stories = sa.table("stories", *(sa.column(name) for name in ("run", "story", "waiting", "until", "hold")))


def upgrade(op: Operations) -> None:
    op.add_column("stories", sa.Column("choices", sa.Text, nullable=False, server_default=sa.text("'[]'")))
    connection, of = op.get_bind(), _stories.c
    for row in connection.execute(sa.select(_stories).where(of.waiting != "")).all():
        update = sa.update(_stories).where(of.run == row.run, of.story == row.story)
        connection.execute(update.values(unpacked(row._asdict())))
