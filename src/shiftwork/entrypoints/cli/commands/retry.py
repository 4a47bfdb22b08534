"""`shiftwork retry`: retries a story that failed, was cancelled or was undone."""

import shlex
from typing import Any

import click

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import around, here
from shiftwork.entrypoints.cli.options.free_text import spoken
from shiftwork.entrypoints.cli.options.quiet import quietable
from shiftwork.entrypoints.cli.options.run_options import changeable, changes


@click.command("retry", short_help="Retry a story that failed.")
@click.argument("story", default="", type=id_completion.STORY)
@click.option(
    "--from-scratch", is_flag=True, help="Start from scratch, on the tip of the branch; default: from what failed."
)
@click.option("--because", default="", callback=spoken, metavar="TEXT", help="What the next attempts must know.")
@click.option(
    "--run",
    default="",
    type=id_completion.RUN,
    metavar="RUN",
    help="Run id, or its first characters; default: the newest run.",
)
@changeable
@quietable
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(story: str, *, from_scratch: bool, because: str, run: str, as_json: bool, **typed: Any) -> int:
    """Retry STORY, which failed, was cancelled or was undone. Without STORY, it is the only one that can be retried.

    It continues from the step that failed, with the work done before; --from-scratch starts at the first step. So does
    a retry of a story that was undone, or whose title, description or criteria were edited since. --because goes into
    the prompts of all further attempts. Stories that the
    failure blocked start when this story has landed. If no process works on the run, it continues here; otherwise that
    process gets the request. If several runs are unfinished and none is named, you are asked which. Limits and options
    given here apply to the run from now on; the others stay.
    """
    from shiftwork.entrypoints.cli.control import resume, which_run  # noqa: PLC0415 - `--help` need not wait for all of this

    wanted = changes(typed)
    site = around() if wanted.trust else here()
    if not story:
        run, story = which_run.only_story(site, run, "retry", which_run.CAN_BE_RETRIED)
    again = run_facts.StoryRetryRequested(at=0, story=StoryId(story), from_scratch=from_scratch, because=because)
    said = f" --because {shlex.quote(because)}".replace("{", "{{").replace("}", "}}") if because else ""
    again_there = f"shiftwork retry {story}{' --from-scratch' if from_scratch else ''}{said} --run {{run}}"
    if not run:
        which_run.check_story_run(site, story, again_there, which_run.RETRIABLE)
    named = run or which_run.chosen(site, again_there)
    return resume.retry(site, named, again, wanted, as_json=as_json)
