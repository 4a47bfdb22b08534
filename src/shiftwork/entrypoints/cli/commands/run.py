"""`shiftwork run`: starts a piece of work, shows its progress, and prints the result."""

import click

from shiftwork.config.agents.kinds import AGENTS
from shiftwork.entrypoints.cli.env.repository import around, here
from shiftwork.entrypoints.cli.options.free_text import SentenceCommand
from shiftwork.entrypoints.cli.options.limits import limited, taken
from shiftwork.entrypoints.cli.options.quiet import quietable
from shiftwork.entrypoints.cli.options.run_options import STORIES


@click.command("run", cls=SentenceCommand, short_help="Hand over a piece of work and watch it land.")
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
    help="A value for the prompts, {{KEY}} in those of a workflow; may be repeated.",
)
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

    A spec is a prd.json, an OpenSpec change folder, a tasks.md of spec-kit or a plan in Markdown; stories that land are
    marked as done there. If the spec names a branch, the work lands on it; --branch overrides it. A branch that does
    not exist is created from the one checked out. If a run of the spec is unfinished, no other run starts: `shiftwork
    resume` continues that run.

    If no story of a spec states a dependency, they are worked on one after the other, by priority and then in the order
    of the file, and each starts from what those before it have landed. When one fails, the later ones do not start:
    `shiftwork retry` tries it again, and --keep-going continues with the next. --parallel makes the stories
    independent. If any story states a dependency, the dependencies decide.

    Before anything is paid for, it shows the minimum number of sessions that the workflow takes, and the uncommitted
    files that agents will not see.

    The agents you already have do the work in small steps, each story in its own workspace. Nothing reaches your branch
    unless every gate passes on exactly the tree that lands. Ctrl-C stops everything cleanly; `shiftwork resume`
    continues.

    The gates run on the branch as it is, before any session is paid for, unless they are known to be green on it. If
    one is red, nothing starts: --repair-base first repairs it in a story of its own, --without-gate continues without
    it, and every view, commit and certificate of the run says so.

    With --detach everything is checked here, and then the server of this repository works on the run: closing the
    terminal ends nothing. It is started if there is none, with the environment of this terminal; see `shiftwork serve`.

    With --review a story whose gates are green needs your approval before it lands, and others continue: `shiftwork
    diff` shows the patch, and `shiftwork approve` lands that patch and nothing else.
    """
    from shiftwork.entrypoints.cli.work import run_command  # noqa: PLC0415 - `--help` need not wait for all that a run needs

    wanted = run_command.plan_file(request) if planned else request
    order = run_command.Ordered(request=wanted, bounds=taken(asked), **asked)  # type: ignore[arg-type]  # by their names
    return run_command.run(around() if order.trust else here(settings=True), order, as_json=as_json)
