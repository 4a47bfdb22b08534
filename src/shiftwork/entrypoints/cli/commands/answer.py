"""`shiftwork answer`: tells a story what its agent has asked."""

import click

from shiftwork.entrypoints.cli.options.free_text import SentenceCommand, spoken


@click.command("answer", cls=SentenceCommand, short_help="Answer the question of a story that waits for you.")
@click.argument("story")
@click.argument("text", callback=spoken)
@click.option("--run", default="", metavar="RUN", help="The run, by its id or the beginning of it; else the newest.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the last line is the result.")
def command(story: str, text: str, *, run: str, as_json: bool) -> int:
    """Answer what STORY asks: TEXT goes into the next prompt of the step that asked, and of those after it.

    Where there are options to choose from, their number will do. A story whose retries are spent gets one more round,
    with TEXT. A run that nobody works on is carried on here.
    """
    from shiftwork.app.commands.replies import Word  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.replies import said  # noqa: PLC0415 - as above

    return said(run, story, Word.ANSWER, text, as_json=as_json)
