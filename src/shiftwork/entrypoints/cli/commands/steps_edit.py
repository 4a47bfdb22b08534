"""`shiftwork steps edit`: change the description of a step."""

from typing import Any

import click

from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.options.free_text import SentenceCommand, spoken
from shiftwork.entrypoints.cli.options.step_edit import addressed, reasoned


@click.command("edit", cls=SentenceCommand, short_help="Change the description of a step.")
@click.argument("story", type=id_completion.STORY)
@click.argument("step")
@click.argument("description", callback=spoken)
@reasoned(required=False)
@addressed
def command(story: str, step: str, description: str, *, reason: str, **where: Any) -> int:
    """Change the DESCRIPTION of STEP of STORY, which has not run yet: it goes into the prompt of its agent.

    A step that is running keeps its description: shiftwork steps restart can change it.
    """
    from shiftwork.app.commands import step_edits  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.step_edits import edited  # noqa: PLC0415 - as above

    return edited(story, step_edits.describe(step, description, reason), **where)
