"""Indexes for what `status` reads: the newest runs of a project, a run by the first characters of its id, profiles."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0019"
down_revision = "0018"

_NEWEST = sa.text("started_at DESC")


def upgrade(op: Operations) -> None:
    op.drop_index("runs_project_started_at", "runs")
    op.create_index("runs_newest", "runs", ["project", _NEWEST, sa.text("run DESC")])
    op.create_index("profiles_newest", "profiles", [_NEWEST, sa.text("run DESC"), sa.text("story DESC"), "role"])
    op.create_index("runs_prefix", "runs", ["project", "run"], postgresql_ops={"run": "text_pattern_ops"})
