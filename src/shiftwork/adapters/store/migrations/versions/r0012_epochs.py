"""The epoch of a lease: raised by every takeover, and checked by every append of its holder."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("leases", sa.Column("epoch", sa.BigInteger, nullable=False, server_default=sa.text("0")))
