"""`shiftwork steps restart`: start the running step again."""

from typing import Any

import click

from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.options.free_text import spoken
from shiftwork.entrypoints.cli.options.step_edit import addressed, reasoned


@click.command("restart", short_help="Start the running step again.")
@click.argument("story", type=id_completion.STORY)
@click.argument("step")
@reasoned(required=True)
@click.option("--description", default="", callback=spoken, metavar="TEXT", help="A new description for it.")
@addressed
def command(story: str, step: str, *, reason: str, description: str, **where: Any) -> int:
    """End the attempt of STEP of STORY that is running, and start it again from the commit at which it began.

    What the attempt has changed is kept as a diff. The reason goes into the next prompt of the step; this costs no
    retry. A step can be restarted three times, by its agent or by you. A finished step cannot be restarted: add a step
    instead.
    """
    from shiftwork.app.commands import step_edits  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.step_edits import edited  # noqa: PLC0415 - as above

    return edited(story, step_edits.restart(step, reason, description), **where)
