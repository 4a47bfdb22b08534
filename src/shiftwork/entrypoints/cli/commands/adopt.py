"""`shiftwork adopt`: takes over the state of a folder that was copied, unpacked or brought from another machine."""

import click

from shiftwork.app.views.documents.commands.setup_documents import Adoption
from shiftwork.bootstrap.state.adopt import adopt
from shiftwork.entrypoints.cli.env.repository import around
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain


@click.command("adopt", short_help="Take over state that was not created here.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, as_json: bool) -> None:
    """Take over the history of a folder that was copied, unpacked from an archive, or brought from another machine.

    Until then shiftwork reads nothing of it. Adopt only state that you know: its history says what was requested, what
    has landed and what you have trusted. History, logs, diffs, bundles and commits of its runs are kept; links and
    files that shiftwork never creates are refused. If the original folder still exists, its runs stay with it.
    """
    adopted = adopt(around())
    if as_json:
        say(Adoption(folder=str(adopted.state), project=adopted.project, same=adopted.same))
        return
    click.echo(f"adopted {plain(str(adopted.state))}")
    if adopted.same:
        click.echo("next: shiftwork status --all lists its runs")
    else:
        click.echo("this is a copy of another project of yours: the runs of the original stay with the original")
