"""`shiftwork demo`: a real run in a throw-away repository, with a scripted agent."""

import click


@click.command("demo", short_help="See it work in a throw-away repository.")
@click.option("--keep", is_flag=True, help="Keep the repository, so that you can look at it.")
@click.option("--web", is_flag=True, help="Watch it on the web board: the demo begins when its page is open.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(*, keep: bool, web: bool, as_json: bool) -> int:
    """See it work: shiftwork creates a small repository, asks an agent for a feature, checks what it does and lands it.

    The agent follows a script, so it costs nothing and uses no network; engine, history, git, gates and landing are the
    real ones. The agent says that it is done while its code is wrong. Watch what happens.

    With --web it prints a link, begins when a browser has opened it, and serves the board until Ctrl-C.
    """
    from shiftwork.entrypoints.cli.demo import demo  # noqa: PLC0415 - `--help` need not wait for it

    return demo.run(keep=keep, web=web, as_json=as_json)
