"""`shiftwork resume`: continues a run that was interrupted or paused, or has reached its limit."""

from typing import Any

import click

from shiftwork.config.site import environment
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import around, here
from shiftwork.entrypoints.cli.env.trust import TRUST
from shiftwork.entrypoints.cli.options.quiet import quietable
from shiftwork.entrypoints.cli.options.run_options import changeable, changes


@click.command("resume", short_help="Continue a run that was interrupted or paused, or has reached its limit.")
@click.argument("run", default="", type=id_completion.RUN)
@changeable
@click.option("--detach", is_flag=True, help="Let the server of this repository work, and return at once.")
@click.option("--hosted", is_flag=True, hidden=True, help="This process is a worker of the server.")
@click.option("--only-limits", is_flag=True, hidden=True, help="Store the limits: nothing continues, a pause stays.")
@quietable
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(run: str, *, detach: bool, hosted: bool, only_limits: bool, as_json: bool, **asked: Any) -> int:
    """Continue a run that was interrupted or paused, or has reached its limit.

    RUN is an id or its first characters; default: the unfinished run. If several are unfinished, you are asked which.
    Each step that was in progress starts again from its beginning. A pause ends, even if a process works on the run. A
    finished run is only shown.

    With --detach the server of this repository continues the run, see `shiftwork serve`.

    A run keeps its workflow, branch and limits, and the options it started with: agent, model, stories at once, and
    what you let it run. Options given here apply from now on, and the others stay; in a finished run they apply when it
    continues. The settings are read again, and each difference from the settings that the run started with is printed,
    with the value in force.

    If a gate is red on the branch by itself, the run does not continue and no session is paid for: repair the branch,
    or continue with --without-gate.
    """
    from shiftwork.entrypoints.cli.control import resume, which_run  # noqa: PLC0415 - `--help` need not wait for all of this

    if detach and environment().get(TRUST):  # the run keeps the consent: the server does not inherit it
        asked["trust"] = True
    wanted = changes(asked)
    site = around() if wanted.trust else here()
    named = run or which_run.chosen(site, "shiftwork resume {run}")
    if hosted:
        return resume.work_for_server(site, named)
    if only_limits:
        return resume.store_limits(site, named, wanted)
    return resume.resume(site, named, wanted, detached=detach, as_json=as_json)
