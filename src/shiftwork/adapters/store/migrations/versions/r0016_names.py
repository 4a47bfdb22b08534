"""The tables and columns have the names that the code uses."""

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0016"
down_revision = "0015"


def upgrade(op: Operations) -> None:
    op.rename_table("played", "profiles")
    for table in ("runs", "stories"):
        op.rename_column(table, "unheard", "undelivered")
    op.rename_column("leases", "beat_at", "heartbeat_at")
