"""`shiftwork reject`: rejects what a story asks approval for."""

import click

from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.options.free_text import spoken
from shiftwork.entrypoints.cli.options.quiet import quietable


@click.command("reject", short_help="Reject a story that needs your approval.")
@click.argument("story", default="", type=id_completion.STORY)
@click.option("--because", default="", callback=spoken, metavar="TEXT", help="A message for the next steps.")
@click.option(
    "--run",
    default="",
    type=id_completion.RUN,
    metavar="RUN",
    help="Run id, or its first characters; default: the newest run.",
)
@quietable
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the last line is the result.")
def command(story: str, *, because: str, run: str, as_json: bool) -> int:
    """Reject STORY. A rejected step continues where the workflow routes it, and fails if there is no route. In a run
    under review, --because says what to change, and you are asked again about the new patch; without it the story ends.
    The story also ends if its limit or retries are spent, or if you do not confirm its criteria; a question gets the
    answer "no". If no process works on the run, it continues here. Without STORY, it is the only story that needs you.
    """
    from shiftwork.app.commands.replies import Reply, Word  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.replies import said  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.control.which_run import NEEDS_YOU, only_story  # noqa: PLC0415 - as above

    if not story:
        run, story = only_story(here(), run, "reject", NEEDS_YOU)
    return said(Reply(run=RunId(run), story=StoryId(story), word=Word.REJECT, text=because), as_json=as_json)
