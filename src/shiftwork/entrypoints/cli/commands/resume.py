"""`shiftwork resume`: goes on with a run whose process is gone, that is paused, or that has reached its limit."""

import click

from shiftwork.entrypoints.cli.bounds import limited, taken
from shiftwork.entrypoints.cli.here import here


@click.command("resume", short_help="Go on with a run that was interrupted or paused, or has reached its limit.")
@click.argument("run", default="")
@limited
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(run: str, *, as_json: bool, **asked: float | None) -> int:
    """Go on with a run that was interrupted or paused, or has reached its limit.

    RUN is an id or the beginning of one; where none is named, the one that is not over is taken, and you are asked if
    several are. Each step that was under way starts again from where it began. A pause is lifted, also of a run that
    somebody works on. A run that is over is only told about. Limits that are named here are new ones; the others stay.
    Of a run that is over they hold when it is asked for more.
    """
    from shiftwork.entrypoints.cli import ordering, unnamed  # noqa: PLC0415 - `--help` need not wait for all of this

    site = here()
    named = run or unnamed.chosen(site, "shiftwork resume {run}")
    return ordering.resume(site, named, taken(asked), as_json=as_json)
