"""`shiftwork steps reorder`: choose which steps of a story run first."""

from typing import Any

import click

from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.options.step_edit import addressed, reasoned


@click.command("reorder", short_help="Choose which steps of a story run first.")
@click.argument("story", type=id_completion.STORY)
@click.argument("steps", nargs=-1, required=True, metavar="STEP...")
@reasoned(required=False)
@addressed
def command(story: str, steps: tuple[str, ...], *, reason: str, **where: Any) -> int:
    """Run these steps of STORY first, in this order; its other steps that have not run yet follow in theirs.

    A final_review stays last, and a step stays on its side of a step whose decision may lead to it.
    """
    from shiftwork.app.commands import step_edits  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.step_edits import edited  # noqa: PLC0415 - as above

    return edited(story, step_edits.reorder(steps, reason), **where)
