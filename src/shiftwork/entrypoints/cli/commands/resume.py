"""`shiftwork resume`: goes on with a run whose process is gone, that is paused, or that has reached its limit."""

from typing import Any

import click

from shiftwork.entrypoints.cli.env.repository import around, here
from shiftwork.entrypoints.cli.options.run_options import changeable, changes


@click.command("resume", short_help="Go on with a run that was interrupted or paused, or has reached its limit.")
@click.argument("run", default="")
@changeable
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(run: str, *, as_json: bool, **asked: Any) -> int:
    """Go on with a run that was interrupted or paused, or has reached its limit.

    RUN is an id or the beginning of one; where none is named, the one that is not over is taken, and you are asked if
    several are. Each step that was under way starts again from where it began. A pause is lifted, also of a run that
    somebody works on. A run that is over is only shown.

    A run keeps its workflow, branch and limits, and what you named when it began: agent, model, how many stories at
    once, and what you let it run. What is named here is in force from now on, and the rest stays; of a run that is over
    it holds when it is asked for more. The settings are read again, and what differs from those that the run began with
    is printed, with the value that is in force.
    """
    from shiftwork.entrypoints.cli.control import resume, which_run  # noqa: PLC0415 - `--help` need not wait for all of this

    wanted = changes(asked)
    site = around() if wanted.trust else here()
    named = run or which_run.chosen(site, "shiftwork resume {run}")
    return resume.resume(site, named, wanted, as_json=as_json)
