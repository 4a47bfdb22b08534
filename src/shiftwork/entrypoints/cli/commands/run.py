"""`shiftwork run`: hands over a piece of work, watches it, and tells what came of it."""

import click

from shiftwork.entrypoints.cli.env.repository import around, here
from shiftwork.entrypoints.cli.options.free_text import SentenceCommand
from shiftwork.entrypoints.cli.options.limits import limited, taken
from shiftwork.entrypoints.cli.options.run_options import AGENTS, STORIES


@click.command("run", cls=SentenceCommand, short_help="Hand over a piece of work and watch it land.")
@click.argument("request", default="")
@click.option("--agent", type=click.Choice(AGENTS), help="Which agent works; else what the settings say.")
@click.option("--model", default="", metavar="NAME", help="The model to ask the agent for.")
@click.option(
    "--branch", default="", metavar="NAME", help="Land on it; created if it is new; else the one checked out."
)
@limited
@click.option("--parallel", type=STORIES, metavar="N", help="Work on at most N stories at once.")
@click.option("--workflow", default="", metavar="NAME", help="By name or path; else the settings', else dynamic.")
@click.option("--plan", "planned", is_flag=True, help="Run the plan that `shiftwork plan` wrote: prd.json.")
@click.option("--without-gate", "without_gates", multiple=True, metavar="NAME", help="Continue without this gate.")
@click.option("--review", is_flag=True, help="Hold every story before it lands, until you approve it.")
@click.option("--repair-base", is_flag=True, help="First make the gates green that are red on the branch, as a story.")
@click.option("--dry-run", is_flag=True, help="Print every prompt that would be sent first, and do nothing.")
@click.option("--trust", is_flag=True, help="Run the repository's commands unasked, this time: for scripts.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(request: str, *, planned: bool, as_json: bool, **asked: str | float | tuple[str, ...] | None) -> int:
    """Hand over REQUEST and watch it land: a piece of work in your own words, or the path of a spec with many stories.

    Read are prd.json, an OpenSpec change folder, spec-kit's tasks.md and plans in Markdown; stories that land are
    ticked there. A spec's own branch is landed on; --branch overrides it. A branch that is not there yet is created
    from the one checked out. A spec of which a run is unfinished is not started again: `shiftwork resume`
    continues that one.

    Before anything is paid for it says how many sessions the workflow takes at least, and which uncommitted files
    agents will not see.

    The agents you already have do it in small steps in a workspace of their own. Nothing reaches your branch unless
    every gate passes on the very tree that lands. Ctrl-C stops in order; `shiftwork resume` goes on.

    Before the first session is paid for, the gates run on the branch as it is. Where one is red, nothing begins:
    --repair-base has a story of its own make it green first, --without-gate continues without it, and every view,
    commit and certificate of the run says so.

    With --review a story whose gates are green waits for you before it lands, and others continue:
    `shiftwork diff` shows what is to land, `shiftwork approve` lands that and nothing else.
    """
    from shiftwork.entrypoints.cli.work import run_command  # noqa: PLC0415 - `--help` need not wait for all that a run needs

    wanted = run_command.plan_file(request) if planned else request
    order = run_command.Ordered(request=wanted, bounds=taken(asked), **asked)  # type: ignore[arg-type]  # by their names
    return run_command.run(around() if order.trust else here(settings=True), order, as_json=as_json)
