"""`shiftwork plan`: shows what a run would do, and writes it to a file to edit, before anything is built."""

import click

from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.options.free_text import SentenceCommand, request_of
from shiftwork.entrypoints.cli.options.limits import Money
from shiftwork.entrypoints.cli.options.list_form import list_form
from shiftwork.entrypoints.cli.options.quiet import quietable


@click.command("plan", cls=SentenceCommand, short_help="Show the stories of a piece of work before it is run.")
@click.argument("request")
@click.option("--out", default="", metavar="FILE", help="Where to write the plan; an agent's plan goes to prd.json.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@list_form
@click.option("--max-cost", type=Money(), metavar="USD", help="Ask before spending more.")
@quietable
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(request: str, *, as_json: bool, **asked: str | float | None) -> int:
    """Show the stories of REQUEST, their dependencies, the critical path, the estimated cost, and warnings.

    REQUEST is the path of a spec, which is only read, or a piece of work in your own words: then an agent looks at the
    repository and breaks the work into stories, and the plan is written to prd.json. Edit it, then: shiftwork run
    --plan. With - the words are read from standard input.
    """
    from shiftwork.entrypoints.cli.work import planning  # noqa: PLC0415 - `--help` need not wait for all that work needs

    wanted = planning.Asked(request=request_of(request), **asked)  # type: ignore[arg-type]  # by their names
    return planning.plan(here(settings=True), wanted, as_json=as_json)
