"""Why the landing of a story that has failed was refused: no longer in words alone."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_stories = sa.table("stories", *(sa.column(name) for name in ("cause", "failure", "refusal")))


def upgrade() -> None:
    op.add_column("stories", sa.Column("refusal", sa.Text, nullable=False, server_default=sa.text("''")))
    of = _stories.c
    for refusal in ("conflict", "gates", "empty", "evidence"):
        told = of.failure.startswith(f"not landed ({refusal})", autoescape=True)  # in the words of the releases before
        op.execute(sa.update(_stories).where(of.cause == "refused", told).values(refusal=refusal))
