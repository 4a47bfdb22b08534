"""`shiftwork answer`: answers the question of a story."""

import click

from shiftwork.entrypoints.cli.options.free_text import SentenceCommand, spoken


@click.command("answer", cls=SentenceCommand, short_help="Answer the question of a story.")
@click.argument("story")
@click.argument("text", callback=spoken)
@click.option("--run", default="", metavar="RUN", help="Run id, or its first characters; default: the newest run.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the last line is the result.")
def command(story: str, text: str, *, run: str, as_json: bool) -> int:
    """Answer the question of STORY: TEXT goes into the next prompt of the step that asked, and of the steps after it.

    If the question has options, TEXT may be the number of one. A story without retries left gets one more round, with
    TEXT. If no process works on the run, it continues here.
    """
    from shiftwork.app.commands.replies import Word  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.replies import said  # noqa: PLC0415 - as above

    return said(run, story, Word.ANSWER, text, as_json=as_json)
