"""`shiftwork approve`: says yes to a story that waits for it."""

import click

from shiftwork.entrypoints.cli.sentence import spoken


@click.command("approve", short_help="Say yes to a story that waits for you.")
@click.argument("story")
@click.option("--because", default="", callback=spoken, metavar="TEXT", help="What the next steps are told.")
@click.option("--run", default="", metavar="RUN", help="The run, by its id or the beginning of it; else the newest.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the last line is the result.")
def command(story: str, *, because: str, run: str, as_json: bool) -> int:
    """Say yes to STORY: to a step that is to be approved, to criteria that nobody else can check, to one more round of
    a step whose retries are spent, or to a question that can be answered so. A run that nobody works on is carried on
    here.
    """
    from shiftwork.app.answering import Word  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.replying import said  # noqa: PLC0415 - as above

    return said(run, story, Word.APPROVE, because, as_json=as_json)
