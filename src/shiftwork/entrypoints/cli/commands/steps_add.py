"""`shiftwork steps add`: add a step to a story."""

from typing import Any

import click

from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.options.free_text import SentenceCommand, spoken
from shiftwork.entrypoints.cli.options.step_edit import addressed, reasoned


@click.command("add", cls=SentenceCommand, short_help="Add a step to a story.")
@click.argument("story", type=id_completion.STORY)
@click.argument("kind", metavar="TYPE")
@click.argument("description", callback=spoken)
@click.option("--after", default="", metavar="STEP", help="The step to add it after; default: it runs next.")
@reasoned(required=False)
@addressed
def command(story: str, kind: str, description: str, *, after: str, reason: str, **where: Any) -> int:
    """Add a step of TYPE to STORY: coding, review, planning, or any other type of the catalogue or of its workflow.

    DESCRIPTION goes into the prompt of its agent. Without --after it runs next: after the step that runs now, or, if
    that must stay last, before it. No step can be added before the first. A final_review that has run already runs
    again afterwards.
    """
    from shiftwork.app.commands import step_edits  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.step_edits import edited  # noqa: PLC0415 - as above

    return edited(story, step_edits.add(kind, description, after, reason), **where)
