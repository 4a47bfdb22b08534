"""Why the landing of a failed story was refused: as a column, no longer only as text."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0007"
down_revision = "0006"

_stories = sa.table("stories", *(sa.column(name) for name in ("cause", "failure", "refusal")))


def upgrade(op: Operations) -> None:
    op.add_column("stories", sa.Column("refusal", sa.Text, nullable=False, server_default=sa.text("''")))
    of = _stories.c
    for refusal in ("conflict", "gates", "empty", "evidence"):
        says_so = of.failure.startswith(f"not landed ({refusal})", autoescape=True)  # text of earlier releases
        op.execute(sa.update(_stories).where(of.cause == "refused", says_so).values(refusal=refusal))
