"""Usage by agent and model, how many attempts have unknown cost or usage, and the estimated cost of a run."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0003"
down_revision = "0002"

_NONE = sa.text("0")


def upgrade(op: Operations) -> None:
    op.create_table(
        "spent",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("story", sa.Text, primary_key=True),
        sa.Column("agent", sa.Text, primary_key=True),
        sa.Column("model", sa.Text, primary_key=True),
        sa.Column("tries", sa.BigInteger, nullable=False),
        sa.Column("unpriced", sa.BigInteger, nullable=False),
        sa.Column("uncounted", sa.BigInteger, nullable=False),
        sa.Column("cost_usd", sa.Double),
        sa.Column("estimated", sa.Boolean, nullable=False),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("cached_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
    )
    op.add_column("steps", sa.Column("model", sa.Text, nullable=False, server_default=sa.text("''")))
    for table in ("stories", "steps"):
        for name in ("tries", "uncounted", "cached_tokens"):
            op.add_column(table, _count(name))
    for table in ("runs", "stories", "steps"):
        op.add_column(table, _count("unpriced"))
        op.add_column(table, sa.Column("estimated", sa.Boolean, nullable=False, server_default=sa.false()))
    for name in ("low_usd", "high_usd"):
        op.add_column("runs", sa.Column(name, sa.Double))
    op.add_column("runs", _count("known"))


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False, server_default=_NONE)
