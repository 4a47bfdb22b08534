"""`shiftwork report`: a run as a Markdown document, or as one HTML file."""

from pathlib import Path

import click

from shiftwork.app.views.documents.commands.result_documents import Report
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.report.record_reader import read_record
from shiftwork.app.views.report.run_record import RunRecord
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import left_out_files
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.output_file import check, check_unlinked, written
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.entrypoints.cli.terminal.pager import show, unpaged


@click.command("report", short_help="Print a run as a Markdown document, or write it as an HTML file.")
@click.argument("run", default="", type=id_completion.RUN)
@click.option("--html", "as_html", is_flag=True, help="Write one HTML file that needs nothing else; see --output.")
@click.option(
    "--output",
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write it to FILE instead; with --html, the default is shiftwork-RUN.html.",
)
@unpaged
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document that holds it.")
def command(run: str, output: Path | None, *, as_html: bool, no_pager: bool, as_json: bool) -> None:
    """Print a run as a Markdown document: its stories, steps and attempts, actual and estimated cost by profile, the
    proof of what landed, edits, refusals, repairs, gates, saved diffs and logs.

    --html writes the same as one file for a browser, with the graph of the stories, a timeline and the diffs. It has no
    script and loads nothing.

    RUN is an id or its first characters; default: the newest run.
    """
    site = here()
    if output is not None:
        check(output)
    queries = open_queries(site, once=True)
    view = answer(lambda: run_view(queries, run, liveness()))
    found = view.run.run
    record = answer(lambda: read_record(queries, queries.history, view))
    text = "" if as_html else _markdown(site, record, moving=view.moves)
    if as_html and output is None:
        output = Path(f"shiftwork-{found}.html")
        check_unlinked(Path.cwd(), Path.cwd() / output)  # the user has not chosen the name
    if output is not None:
        written(output, _html(site, record, moving=view.moves) if as_html else text, private=True)
    if as_json:
        context = view.options.get("context", {})
        say(Report(run=found, file=str(output) if output else None, context=context, markdown=text or None))
    elif output is None:
        show(text.rstrip("\n"), environment(), paged=not no_pager)
    else:
        click.echo(f"written to {output}")


def _markdown(site: Site, record: RunRecord, *, moving: bool) -> str:
    from shiftwork.app.views.report.markdown_report import report  # noqa: PLC0415 - the other document needs it not

    lines = left_out_files.lines(site, RunId(record.run.given.run))
    return plain("\n".join((report(record, moving=moving).rstrip("\n"), *lines, "")))


def _html(site: Site, record: RunRecord, *, moving: bool) -> str:
    import asyncio  # noqa: PLC0415 - only this document asks git

    from shiftwork.app.views.html_report.html_document import html_document  # noqa: PLC0415 - as above
    from shiftwork.app.views.html_report.landed_diffs import landed_diffs  # noqa: PLC0415 - as above
    from shiftwork.bootstrap.state.open_git import open_changes  # noqa: PLC0415 - as above

    async def diffs() -> dict[StoryId, str]:
        return await landed_diffs(await open_changes(site, environment()), record)

    return html_document(record, asyncio.run(diffs()), moving=moving)
