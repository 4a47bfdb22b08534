"""`shiftwork approve`: says yes to a story that waits for it, or to all that wait for approval."""

import click

from shiftwork.entrypoints.cli.options.free_text import spoken


@click.command("approve", short_help="Say yes to a story that waits for you.")
@click.argument("story", default="")
@click.option("--all", "everything", is_flag=True, help="Approve every story of the run that waits for approval.")
@click.option("--because", default="", callback=spoken, metavar="TEXT", help="What the next steps are told.")
@click.option("--run", default="", metavar="RUN", help="The run, by its id or the beginning of it; else the newest.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the last line is the result.")
def command(story: str, *, everything: bool, because: str, run: str, as_json: bool) -> int:
    """Say yes to STORY: to a patch that is to land or another step that is to be approved, to criteria that only you
    can check, to one more round of a step whose retries are spent, or to a question that can be answered so. A run that
    no process works on continues here.

    You approve the patch as `shiftwork diff STORY` shows it. It lands as it is, also on a branch that has moved; if it
    changes before it lands, you are asked again. --all approves steps and patches, and answers no other question. A
    patch that has changed since you approved it is left out by --all: look at it, and name its story.
    """
    from shiftwork.app.commands.replies import Word  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.replies import approved_all, said  # noqa: PLC0415 - as above
    from shiftwork.errors import UsageError  # noqa: PLC0415 - as above

    if everything == bool(story):
        reason = "a story is named beside --all" if everything else "no story is named"
        raise UsageError(reason, hint="shiftwork approve STORY, or: shiftwork approve --all")
    if everything:
        return approved_all(run, because, as_json=as_json)
    return said(run, story, Word.APPROVE, because, as_json=as_json)
