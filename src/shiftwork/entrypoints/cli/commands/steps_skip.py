"""`shiftwork steps skip`: skip a step of a story."""

from typing import Any

import click

from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.options.step_edit import addressed, reasoned


@click.command("skip", short_help="Skip a step of a story.")
@click.argument("story", type=id_completion.STORY)
@click.argument("step")
@reasoned(required=True)
@addressed
def command(story: str, step: str, *, reason: str, **where: Any) -> int:
    """Skip STEP of STORY, which has not run yet. The commit and the certificate of the story name it, with the reason.

    A mandatory step, such as linting or final_review, cannot be skipped, and neither can gates, an approval, or a step
    that decides where the story goes next.
    """
    from shiftwork.app.commands import step_edits  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.step_edits import edited  # noqa: PLC0415 - as above

    return edited(story, step_edits.skip(step, reason), **where)
