"""What `--json` prints: views as plain values."""

from dataclasses import asdict
from json import dumps, loads
from typing import Any, Final

import click

from shiftwork.app.views import amounts
from shiftwork.app.views.run_views import RunView, story_columns
from shiftwork.entrypoints.cli.render import next_steps
from shiftwork.ports.rows.row_columns import columns
from shiftwork.ports.views import RunRow, StepRow, StoryRow

_LIMITS: Final = frozenset(f"{whose}_{what}" for whose in ("max", "story", "step") for what in ("usd", "tokens"))
_COMPARED: Final = frozenset({"low_usd", "high_usd", "known"}) | _LIMITS


def say(document: dict[str, Any]) -> None:
    """Prints a JSON document on one line; non-ASCII characters are escaped, so no text in it can affect a terminal."""
    click.echo(dumps(document))


def run_document(view: RunView) -> dict[str, Any]:
    return {
        **row_document(view.run),
        "activity": view.activity.value,
        "worker": asdict(view.worker) if view.worker else None,
        **amounts.plain(view.used),
        **amounts.shared(view.shares),
        **amounts.waits(view.idle),
        "estimate": amounts.estimate(view.band, view.used, over=view.run.ended_at is not None),
        "limits": amounts.bounds(view.limits),
        "proof": {level: [row.story for row in rows] for level, rows in next_steps.by_proof(view).items()},
        "stories": [
            {
                **used_row(story.story),
                "state": next_steps.of_story(view, story),
                "activity": story.activity,
                **amounts.waits(story.idle),
                "steps": [used_row(step) for step in story.steps],
            }
            for story in view.stories
        ],
    }


def row_document(row: RunRow) -> dict[str, Any]:
    """The row without estimate and limits, which are shown beside the actual amounts."""
    known = {name: value for name, value in asdict(row).items() if name not in _COMPARED}
    lists = {"without_gates": row.without_gates.splitlines(), "undoing": row.undoing.splitlines()}
    return known | {"estimated": bool(row.estimated), "options": {"context": {}, **loads(row.options)}} | lists


def used_row(row: StoryRow | StepRow) -> dict[str, Any]:
    """The row; unknown amounts are null."""
    flat = story_columns(row) if isinstance(row, StoryRow) else columns(row)
    return flat | amounts.plain(amounts.usage_of(row))
