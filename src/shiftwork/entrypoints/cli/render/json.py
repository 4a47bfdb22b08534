"""What `--json` prints: views as plain values."""

from dataclasses import asdict
from json import dumps, loads
from typing import Any, Final

import click

from shiftwork.app.views import amounts
from shiftwork.app.views.run_views import RunView
from shiftwork.entrypoints.cli.render import next_steps
from shiftwork.ports.views import RunRow, StepRow, StoryRow

_LIMITS: Final = frozenset(f"{whose}_{what}" for whose in ("max", "story", "step") for what in ("usd", "tokens"))
_COMPARED: Final = frozenset({"low_usd", "high_usd", "known"}) | _LIMITS


def say(document: dict[str, Any]) -> None:
    """One JSON document on one line; all that is not ASCII is escaped, so no text in it can touch a terminal."""
    click.echo(dumps(document))


def run_document(view: RunView) -> dict[str, Any]:
    return {
        **row_document(view.run),
        "pulse": view.pulse.value,
        "worker": asdict(view.worker) if view.worker else None,
        **amounts.plain(view.used),
        **amounts.shared(view.shares),
        **amounts.waits(view.idle),
        "estimate": amounts.estimate(view.band, view.used, over=view.run.ended_at is not None),
        "limits": amounts.bounds(view.limits),
        "proof": {level: [row.story for row in rows] for level, rows in next_steps.by_proof(view).items()},
        "stories": [
            {
                **used_row(one.story),
                "state": next_steps.of_story(view, one),
                "standing": one.standing,
                **amounts.waits(one.idle),
                "steps": [used_row(step) for step in one.steps],
            }
            for one in view.stories
        ],
    }


def row_document(row: RunRow) -> dict[str, Any]:
    """What was foreseen and what is limited is told where it can be compared."""
    known = {name: value for name, value in asdict(row).items() if name not in _COMPARED}
    lists = {"without_gates": row.without_gates.splitlines(), "undoing": row.undoing.splitlines()}
    return known | {"estimated": bool(row.estimated), "options": loads(row.options)} | lists


def used_row(row: StoryRow | StepRow) -> dict[str, Any]:
    """The row; what nobody knows of what it used is null."""
    return asdict(row) | amounts.plain(amounts.usage_of(row))
