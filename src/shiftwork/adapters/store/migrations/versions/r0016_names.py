"""The tables and columns have the names that the code uses."""

from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.rename_table("played", "profiles")
    for table in ("runs", "stories"):
        op.alter_column(table, "unheard", new_column_name="undelivered")
    op.alter_column("leases", "beat_at", new_column_name="heartbeat_at")
