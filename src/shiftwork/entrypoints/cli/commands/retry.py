"""`shiftwork retry`: another go at a story that failed, was cancelled or was undone."""

from typing import Any

import click

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.entrypoints.cli.env.repository import around, here
from shiftwork.entrypoints.cli.options.run_options import changeable, changes


@click.command("retry", short_help="Have another go at a story that failed.")
@click.argument("story")
@click.option("--afresh", is_flag=True, help="From the first step and the tip of the branch; else from what failed.")
@click.option("--run", default="", metavar="RUN", help="The run, by its id or the beginning of it; else the newest.")
@changeable
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(story: str, *, afresh: bool, run: str, as_json: bool, **typed: Any) -> int:
    """Have another go at STORY, which failed, was cancelled or was undone.

    It goes on from the step that failed, with what was done before; --afresh begins it again, with its first step. So
    does a retry of a story that was undone, or whose title, description or criteria were edited since. What the failure
    had blocked starts when the story has landed. A run that nobody works on is carried on here; one that somebody works
    on is only asked. You are asked which run is meant if none is named and several are unfinished. Limits and options
    that are named here are new ones of the run; the others stay.
    """
    from shiftwork.entrypoints.cli.control import resume, which_run  # noqa: PLC0415 - `--help` need not wait for all of this

    again = run_facts.StoryRetryRequested(at=0, story=StoryId(story), afresh=afresh)
    wanted = changes(typed)
    site = around() if wanted.trust else here()
    named = run or which_run.chosen(site, f"shiftwork retry {story}{' --afresh' if afresh else ''} --run {{run}}")
    return resume.retry(site, named, again, wanted, as_json=as_json)
