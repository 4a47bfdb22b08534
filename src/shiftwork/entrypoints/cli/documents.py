"""What `--json` prints: views as plain values."""

from dataclasses import asdict
from json import dumps
from typing import Any

import click

from shiftwork.app.queries import RunView
from shiftwork.ports.views import RunRow


def say(document: dict[str, Any]) -> None:
    """One JSON document on one line; all that is not ASCII is escaped, so no text in it can touch a terminal."""
    click.echo(dumps(document))


def run_document(view: RunView) -> dict[str, Any]:
    return {
        **row_document(view.run),
        "pulse": view.pulse.value,
        "worker": asdict(view.worker) if view.worker else None,
        "cost_usd": view.cost_usd,
        "stories": [
            {**asdict(one.story), "standing": one.standing, "steps": [asdict(step) for step in one.steps]}
            for one in view.stories
        ],
    }


def row_document(row: RunRow) -> dict[str, Any]:
    return asdict(row)
