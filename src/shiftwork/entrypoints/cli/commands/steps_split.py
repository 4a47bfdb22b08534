"""`shiftwork steps split`: replace a step by several."""

from typing import Any

import click

from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.options.free_text import spoken
from shiftwork.entrypoints.cli.options.step_edit import addressed, reasoned


@click.command("split", short_help="Replace a step by several.")
@click.argument("story", type=id_completion.STORY)
@click.argument("step")
@click.argument("descriptions", nargs=-1, required=True, callback=spoken, metavar="DESCRIPTION...")
@reasoned(required=False)
@addressed
def command(story: str, step: str, descriptions: tuple[str, ...], *, reason: str, **where: Any) -> int:
    """Replace STEP of STORY, which has not run yet, by one step for each DESCRIPTION, in this order.

    The new steps have its type. A step that has been attempted, or that decides where the story goes next, cannot be
    split.
    """
    from shiftwork.app.commands import step_edits  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.step_edits import edited  # noqa: PLC0415 - as above

    return edited(story, step_edits.split(step, descriptions, reason), **where)
