"""Limits on the number of sessions; for older runs they are empty until the run is written again."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0018"
down_revision = "0017"


def upgrade(op: Operations) -> None:
    for name in ("max_sessions", "story_sessions"):
        op.add_column("runs", sa.Column(name, sa.BigInteger))
    for name in ("limit_sessions", "limit_spent_sessions"):
        op.add_column("stories", sa.Column(name, sa.BigInteger))
