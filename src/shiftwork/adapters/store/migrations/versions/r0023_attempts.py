"""What each ended attempt of an agent came to; attempts from before are read from the facts."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0023"
down_revision = "0022"


def upgrade(op: Operations) -> None:
    op.create_table(
        "attempts",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("run", "story", "step")),
        sa.Column("number", sa.BigInteger, primary_key=True),
        sa.Column("position", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("agent", "model", "ending")),
        sa.Column("started_at", sa.Double),
        sa.Column("ended_at", sa.Double, nullable=False),
        sa.Column("seconds", sa.Double),
        sa.Column("cost_usd", sa.Double),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in _COUNTS),
        sa.Column("estimated", sa.Boolean, nullable=False),
        sa.Column("claim", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("log", "diff")),
    )


_COUNTS = ("input_tokens", "output_tokens", "cached_tokens", "tries", "unpriced", "uncounted")
