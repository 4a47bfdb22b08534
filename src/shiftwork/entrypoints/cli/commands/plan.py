"""`shiftwork plan`: shows what a run would do, and writes it down to be edited, before anything is built."""

import click

from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.options.free_text import SentenceCommand
from shiftwork.entrypoints.cli.options.limits import Money


@click.command("plan", cls=SentenceCommand, short_help="Show the stories of a piece of work before it is run.")
@click.argument("request")
@click.option("--out", default="", metavar="FILE", help="Where to write the plan; prd.json where an agent makes it.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.option("--max-cost", type=Money(), metavar="USD", help="Ask before more is spent.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(request: str, *, out: str, force: bool, max_cost: float | None, as_json: bool) -> int:
    """Show the stories of REQUEST, what waits for what, the longest way through them, what they may cost, and what is
    doubtful about them.

    REQUEST is the path of a spec, which is only read, or a piece of work in your own words: then an agent looks at the
    repository and breaks the work into stories, and the plan is written to prd.json. Edit it, then: shiftwork run
    --plan.
    """
    from shiftwork.entrypoints.cli.work import planning  # noqa: PLC0415 - `--help` need not wait for all that work needs

    asked = planning.Asked(request=request, out=out, force=force, max_cost=max_cost)
    return planning.plan(here(settings=True), asked, as_json=as_json)
