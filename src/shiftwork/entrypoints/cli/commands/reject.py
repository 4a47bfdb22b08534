"""`shiftwork reject`: says no to a story that waits for an answer."""

import click

from shiftwork.entrypoints.cli.options.free_text import spoken


@click.command("reject", short_help="Say no to a story that waits for you.")
@click.argument("story")
@click.option("--because", default="", callback=spoken, metavar="TEXT", help="What the next steps are told.")
@click.option("--run", default="", metavar="RUN", help="The run, by its id or the beginning of it; else the newest.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the last line is the result.")
def command(story: str, *, because: str, run: str, as_json: bool) -> int:
    """Say no to STORY. A step that was to be approved goes where the workflow sends it, and fails where that is
    nowhere. In a run under review, --because says what is to be changed, and the new patch is asked about again;
    without it the story ends. So does one whose limit or retries are spent, and one whose criteria you do not confirm;
    a question has "no" for its answer. A run that no process works on continues here.
    """
    from shiftwork.app.commands.replies import Word  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.replies import said  # noqa: PLC0415 - as above

    return said(run, story, Word.REJECT, because, as_json=as_json)
