"""`shiftwork demo`: everything as it really works, in a throw-away repository, with an agent that follows a script."""

import click


@click.command("demo", short_help="See it work in a throw-away repository.")
@click.option("--keep", is_flag=True, help="Leave the repository in place, to look around in.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(*, keep: bool, as_json: bool) -> int:
    """See it work: a small repository is made, an agent is asked for a feature, and what it does is checked and landed.

    The agent follows a script, so nothing is paid and no network is used; engine, history, git, gates and landing are
    the real ones. The agent says that it is done while its code is wrong. Watch what happens.
    """
    from shiftwork.entrypoints.cli.demo import demo  # noqa: PLC0415 - `--help` need not wait for it

    return demo.run(keep=keep, as_json=as_json)
