"""`shiftwork approve`: approves a story, or all stories that need approval."""

import click

from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.options.free_text import spoken as checked
from shiftwork.entrypoints.cli.options.quiet import quietable


@click.command("approve", short_help="Approve a story that needs your approval.")
@click.argument("story", default="", type=id_completion.STORY)
@click.option("--all", "everything", is_flag=True, help="Approve every story of the run that needs approval.")
@click.option("--because", default="", callback=checked, metavar="TEXT", help="A message for the next steps.")
@click.option("--commit", default="", metavar="COMMIT", help="Only if the patch is this commit, as diff shows it.")
@click.option(
    "--run",
    default="",
    type=id_completion.RUN,
    metavar="RUN",
    help="Run id, or its first characters; default: the newest run.",
)
@quietable
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the last line is the result.")
def command(story: str, *, everything: bool, run: str, as_json: bool, **spoken: str) -> int:
    """Approve STORY: a patch that is ready to merge, another step that needs approval, criteria that only you can
    check, one more round of a step without retries left, or a question that "yes" answers. If no process works on the
    run, it continues here. Without STORY, it is the only story that needs you.

    You approve the patch as `shiftwork diff STORY` shows it. It lands unchanged, even on a branch that has moved; if it
    changes before it lands, you are asked again. With --commit you approve the commit that you have seen and no other:
    `shiftwork diff STORY` names it. --all approves steps and patches, and answers no other question. It
    skips a patch that has changed since you approved it: look at the patch, and name its story.
    """
    from shiftwork.app.commands.replies import Reply, Word  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.replies import approved_all, said  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.control.which_run import NEEDS_YOU, only_story  # noqa: PLC0415 - as above
    from shiftwork.errors import UsageError  # noqa: PLC0415 - as above

    if everything and story:
        reason = "name a story or use --all, not both"
        raise UsageError(reason, hint="shiftwork approve STORY, or: shiftwork approve --all")
    because, commit = spoken["because"], spoken["commit"]
    if everything and commit:
        raise UsageError("--commit is about one story", hint=f"shiftwork approve STORY --commit {commit}")
    if everything:
        return approved_all(run, because, as_json=as_json)
    if not story:
        run, story = only_story(here(), run, "approve", NEEDS_YOU)
    reply = Reply(run=RunId(run), story=StoryId(story), word=Word.APPROVE, text=because, commit=commit)
    return said(reply, as_json=as_json)
