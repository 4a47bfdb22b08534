"""How far a landed story is proved."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0010"
down_revision = "0009"


def upgrade(op: Operations) -> None:
    for name in ("proof", "proof_remark"):
        op.add_column("stories", sa.Column(name, sa.Text, nullable=False, server_default=sa.text("''")))
    for name in ("shown", "criteria"):
        op.add_column("stories", sa.Column(name, sa.BigInteger, nullable=False, server_default=sa.text("0")))
