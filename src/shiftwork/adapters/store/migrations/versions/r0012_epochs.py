"""The epoch of a lease: each takeover raises it, and each append of the holder checks it."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0012"
down_revision = "0011"


def upgrade(op: Operations) -> None:
    op.add_column("leases", sa.Column("epoch", sa.BigInteger, nullable=False, server_default=sa.text("0")))
