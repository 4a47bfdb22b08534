"""`shiftwork resume`: continues a run that was interrupted or paused, or has reached its limit."""

from typing import Any

import click

from shiftwork.entrypoints.cli.env.repository import around, here
from shiftwork.entrypoints.cli.options.run_options import changeable, changes


@click.command("resume", short_help="Continue a run that was interrupted or paused, or has reached its limit.")
@click.argument("run", default="")
@changeable
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(run: str, *, as_json: bool, **asked: Any) -> int:
    """Continue a run that was interrupted or paused, or has reached its limit.

    RUN is an id or its first characters; default: the unfinished run. If several are unfinished, you are asked which.
    Each step that was in progress starts again from its beginning. A pause ends, even if a process works on the run. A
    finished run is only shown.

    A run keeps its workflow, branch and limits, and the options it started with: agent, model, stories at once, and
    what you let it run. Options given here apply from now on, and the others stay; in a finished run they apply when it
    continues. The settings are read again, and each difference from the settings that the run started with is printed,
    with the value in force.
    """
    from shiftwork.entrypoints.cli.control import resume, which_run  # noqa: PLC0415 - `--help` need not wait for all of this

    wanted = changes(asked)
    site = around() if wanted.trust else here()
    named = run or which_run.chosen(site, "shiftwork resume {run}")
    return resume.resume(site, named, wanted, as_json=as_json)
