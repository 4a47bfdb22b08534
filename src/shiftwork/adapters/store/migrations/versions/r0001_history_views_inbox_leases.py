"""The first schema: the history, its views, inboxes and leases."""

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "0001"
down_revision = None

_COUNTED = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade(op: Operations) -> None:
    _create_history(op)
    _create_leases(op)
    _create_runs(op)
    _create_stories(op)
    _create_steps(op)


def _create_history(op: Operations) -> None:
    op.create_table(
        "facts",
        sa.Column("position", _COUNTED, sa.Identity(), primary_key=True),
        sa.Column("stream", sa.Text, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("schema_version", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.UniqueConstraint("stream", "version", name="facts_stream_version"),
        sa.UniqueConstraint("stream", "key", "ordinal", name="facts_stream_key_ordinal"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "inbox",
        sa.Column("position", _COUNTED, sa.Identity(), primary_key=True),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("target", "key", name="inbox_target_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("inbox_target_position", "inbox", ["target", "position"])


def _create_leases(op: Operations) -> None:
    op.create_table(
        "leases",
        sa.Column("resource", sa.Text, primary_key=True),
        sa.Column("executor", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.BigInteger, nullable=False),
        sa.Column("pid_started", sa.Double, nullable=False),
        sa.Column("beat_at", sa.Double, nullable=False),
    )


def _create_runs(op: Operations) -> None:
    op.create_table(
        "runs",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("workflow", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("branch", sa.Text, nullable=False),
        sa.Column("stories", sa.BigInteger, nullable=False),
        sa.Column("completed", sa.BigInteger, nullable=False),
        sa.Column("failed", sa.BigInteger, nullable=False),
        sa.Column("cost_usd", sa.Double),
        sa.Column("started_at", sa.Double),
        sa.Column("ended_at", sa.Double),
    )


def _create_stories(op: Operations) -> None:
    op.create_table(
        "stories",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("story", sa.Text, primary_key=True),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("step", sa.Text, nullable=False),
        sa.Column("landing", sa.Text, nullable=False),
        sa.Column("commit", sa.Text, nullable=False),
        sa.Column("ref", sa.Text, nullable=False),
        sa.Column("waiting", sa.Text, nullable=False),
        sa.Column("failure", sa.Text, nullable=False),
        sa.Column("cause", sa.Text, nullable=False),
        sa.Column("cost_usd", sa.Double),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
        sa.Column("started_at", sa.Double),
        sa.Column("ended_at", sa.Double),
        sa.Column("until", sa.Double),
        sa.Column("tests", sa.Text, nullable=False),
    )


def _create_steps(op: Operations) -> None:
    op.create_table(
        "steps",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("story", sa.Text, primary_key=True),
        sa.Column("step", sa.Text, primary_key=True),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("attempts", sa.BigInteger, nullable=False),
        sa.Column("restarts", sa.BigInteger, nullable=False),
        sa.Column("notes", sa.Text, nullable=False),
        sa.Column("error", sa.Text, nullable=False),
        sa.Column("skip_reason", sa.Text, nullable=False),
        sa.Column("cost_usd", sa.Double),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
        sa.Column("started_at", sa.Double),
        sa.Column("ended_at", sa.Double),
        sa.Column("log", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
    )
