"""The limits of a run; for older runs they are empty until the run is written again."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0008"
down_revision = "0007"


def upgrade(op: Operations) -> None:
    for whose in ("max", "story", "step"):
        op.add_column("runs", sa.Column(f"{whose}_usd", sa.Double))
        op.add_column("runs", sa.Column(f"{whose}_tokens", sa.BigInteger))
