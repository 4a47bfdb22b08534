"""`shiftwork answer`: answers the question of a story."""

import click

from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.options.free_text import SentenceCommand, is_blank, spoken
from shiftwork.entrypoints.cli.options.quiet import quietable


@click.command("answer", cls=SentenceCommand, short_help="Answer the question of a story.")
@click.argument("story", default="", type=id_completion.STORY)
@click.argument("text", default="", callback=spoken)
@click.option(
    "--run",
    default="",
    type=id_completion.RUN,
    metavar="RUN",
    help="Run id, or its first characters; default: the newest run.",
)
@quietable
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the last line is the result.")
def command(story: str, text: str, *, run: str, as_json: bool) -> int:
    """Answer the question of STORY: TEXT goes into the next prompt of the step that asked, and of the steps after it.

    Without STORY, it is the only story that needs you: `shiftwork answer "TEXT"` answers that one. If the question has
    options, TEXT may be the number of one. Without TEXT, the question and its options are shown, and the exit code is
    2. A story without retries left gets one more round, with TEXT. If no process works on the run, it continues here.
    """
    from shiftwork.app.commands.replies import Reply, Word  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.replies import as_answer, said, show_question  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.control.which_run import NEEDS_YOU, only_story  # noqa: PLC0415 - as above

    if is_blank(story):
        run, story = only_story(here(), run, "answer", NEEDS_YOU)
    elif not text:
        run, story, text = as_answer(here(), run, story)
    if not text:
        return show_question(run, story, as_json=as_json)
    return said(Reply(run=RunId(run), story=StoryId(story), word=Word.ANSWER, text=text), as_json=as_json)
