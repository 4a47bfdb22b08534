"""`shiftwork run`: starts a piece of work, shows its progress, and prints the result."""

import click

from shiftwork.config.agents.kinds import AGENTS
from shiftwork.entrypoints.cli.env.repository import around, here
from shiftwork.entrypoints.cli.options.first_day import FirstDayCommand
from shiftwork.entrypoints.cli.options.free_text import request_of
from shiftwork.entrypoints.cli.options.limits import limited, taken
from shiftwork.entrypoints.cli.options.list_form import list_form
from shiftwork.entrypoints.cli.options.quiet import quietable
from shiftwork.entrypoints.cli.options.run_options import STORIES

_USUAL = (
    "--agent --branch --max-cost --parallel --keep-going --workflow --without-gate --review --repair-base --detach"
    " --dry-run --json"
)


@click.command("run", cls=FirstDayCommand, usual=_USUAL, short_help="Hand over a piece of work and watch it land.")
@click.argument("request", default="")
@click.option("--agent", type=click.Choice(AGENTS), help="The agent to use; default: from the settings.")
@click.option("--model", default="", metavar="NAME", help="The model to ask the agent for.")
@click.option(
    "--branch", default="", metavar="NAME", help="Branch to land on, created if new; default: the one checked out."
)
@limited
@click.option("--parallel", type=STORIES, metavar="N", help="Work on at most N independent stories at once.")
@click.option("--keep-going", is_flag=True, help="Continue with the next story after one that failed.")
@click.option("--workflow", default="", metavar="NAME", help="Name or path; default: from the settings, else auto.")
@click.option(
    "--context",
    multiple=True,
    metavar="KEY=VALUE",
    help="A value for the prompts, {{KEY}} in those of a workflow; a=1,b=2 names two; may be repeated.",
)
@list_form
@click.option("--plan", "planned", is_flag=True, help="Run the plan that `shiftwork plan` wrote: prd.json.")
@click.option("--without-gate", "without_gates", multiple=True, metavar="NAME", help="Continue without this gate.")
@click.option("--review", is_flag=True, help="Let no story land until you approve it.")
@click.option("--repair-base", is_flag=True, help="First repair gates that are red on the branch, as a story.")
@click.option("--detach", is_flag=True, help="Let the server of this repository work, and return at once.")
@click.option("--dry-run", is_flag=True, help="Print every prompt that would be sent first, and do nothing.")
@click.option("--trust", is_flag=True, help="Run the repository's commands this time without asking: for scripts.")
@quietable
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(request: str, *, planned: bool, as_json: bool, **asked: str | float | tuple[str, ...] | None) -> int:
    """Hand over REQUEST and watch it land: a piece of work in your own words, or the path of a spec with many stories.
    With - the piece of work is read from standard input: always one story, whatever its lines look like.

    A spec is a prd.json, an OpenSpec change folder, a tasks.md of spec-kit or a plan in Markdown; stories that land are
    marked as done there. Its stories are worked on one after the other, unless one of them states a dependency or you
    give --parallel.

    The agents you already have do the work in small steps, each story in its own workspace. Nothing reaches your branch
    unless every gate passes on exactly the tree that lands. The gates run on the branch before any session is paid for:
    if one is red, nothing starts.

    Ctrl-C stops everything cleanly; `shiftwork resume` continues.
    """
    from shiftwork.entrypoints.cli.work import run_command  # noqa: PLC0415 - `--help` need not wait for all that a run needs

    wanted = run_command.plan_file(request) if planned else request_of(request)
    order = run_command.Ordered(request=wanted, bounds=taken(asked), **asked)  # type: ignore[arg-type]  # by their names
    return run_command.run(around() if order.trust else here(settings=True), order, as_json=as_json)
