"""`shiftwork adopt`: takes over the state of a folder that was copied, unpacked or brought from another machine."""

from dataclasses import asdict

import click

from shiftwork.bootstrap.state.adopt import adopt
from shiftwork.entrypoints.cli.env.repository import around
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain


@click.command("adopt", short_help="Take over state that you have not made here.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, as_json: bool) -> None:
    """Take over the history of a folder that was copied, unpacked from an archive, or brought from another machine.

    Until then nothing of it is read. Adopt only what you know: the history says what was asked for, what has landed and
    what you have trusted. What is kept are the history, logs, diffs, bundles and commits of its runs; links and files
    that shiftwork never makes are refused. Where the folder that this is a copy of is still there, its runs stay its
    own.
    """
    adopted = adopt(around())
    if as_json:
        say({**asdict(adopted), "state": str(adopted.state)})
        return
    click.echo(f"{plain(str(adopted.state))} is yours now")
    if adopted.same:
        click.echo("next: shiftwork status --all lists its runs")
    else:
        click.echo("it is a copy of a project of yours: the runs in it stay those of the other; new ones are its own")
