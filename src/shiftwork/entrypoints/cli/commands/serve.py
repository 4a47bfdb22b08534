"""`shiftwork serve`: the server of this repository, which works on the runs that are handed over to it."""

import click

from shiftwork.entrypoints.cli.env.repository import here


@click.command("serve", short_help="Work on the runs that are handed over, without a terminal.")
@click.option("--stop", is_flag=True, help="End the server and its workers in order, and wait for that.")
@click.option("--status", is_flag=True, help="Show whether a server works here, and on what.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Port of HTTP; 0: any free one.")
@click.option("--no-http", is_flag=True, help="Serve no HTTP.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; while serving, one document for each event.")
def command(*, stop: bool, status: bool, port: int, no_http: bool, as_json: bool) -> int:
    """Work on the runs of this repository that were handed over by `shiftwork run --detach` or `shiftwork resume
    --detach`: each in a process of its own, at most max_runs of them at once, see [serve] in the settings.

    There is one server for each repository, and `--detach` starts it if there is none. Typed here it stays in the
    terminal and prints what it works on. Ctrl-C and --stop end it and its workers in order, and nothing is lost: the
    next server continues unfinished runs as `shiftwork resume` does.

    A run that needs you or is paused has no process until you answer or resume it.
    """
    from shiftwork.entrypoints.cli.hosting import server_commands  # noqa: PLC0415 - `--help` need not wait for it

    site = here(settings=True)
    if stop:
        return server_commands.stop(site, as_json=as_json)
    if status:
        return server_commands.status(site, as_json=as_json)
    return server_commands.serve(site, None if no_http else port, as_json=as_json)
