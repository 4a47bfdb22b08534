"""`shiftwork approve`: approves a story, or all stories that need approval."""

import click

from shiftwork.entrypoints.cli.options.free_text import spoken


@click.command("approve", short_help="Approve a story that needs your approval.")
@click.argument("story", default="")
@click.option("--all", "everything", is_flag=True, help="Approve every story of the run that needs approval.")
@click.option("--because", default="", callback=spoken, metavar="TEXT", help="A message for the next steps.")
@click.option("--run", default="", metavar="RUN", help="Run id, or its first characters; default: the newest run.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the last line is the result.")
def command(story: str, *, everything: bool, because: str, run: str, as_json: bool) -> int:
    """Approve STORY: a patch that is ready to merge, another step that needs approval, criteria that only you can
    check, one more round of a step without retries left, or a question that "yes" answers. If no process works on the
    run, it continues here.

    You approve the patch as `shiftwork diff STORY` shows it. It lands unchanged, even on a branch that has moved; if it
    changes before it lands, you are asked again. --all approves steps and patches, and answers no other question. It
    skips a patch that has changed since you approved it: look at the patch, and name its story.
    """
    from shiftwork.app.commands.replies import Word  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.replies import approved_all, said  # noqa: PLC0415 - as above
    from shiftwork.errors import UsageError  # noqa: PLC0415 - as above

    if everything == bool(story):
        reason = "name a story or use --all, not both" if everything else "no story is named"
        raise UsageError(reason, hint="shiftwork approve STORY, or: shiftwork approve --all")
    if everything:
        return approved_all(run, because, as_json=as_json)
    return said(run, story, Word.APPROVE, because, as_json=as_json)
