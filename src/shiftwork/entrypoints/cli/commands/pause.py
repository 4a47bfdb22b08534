"""`shiftwork pause`: lets nothing new begin in a run until it is resumed."""

import click

from shiftwork.domain.model import run_facts as r
from shiftwork.entrypoints.cli.here import here
from shiftwork.entrypoints.cli.intending import intend, tell


@click.command("pause", short_help="Let nothing new begin until the run is resumed.")
@click.argument("run", default="")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(run: str, *, as_json: bool) -> int:
    """Let nothing new begin: no story is started, and those under way finish their present attempt and then wait.

    RUN is an id or the beginning of one; the newest run is taken where none is named. `shiftwork resume` goes on.
    """
    asked = intend(here(), run, lambda _: r.RunPaused(at=0))
    return tell(asked, f"run {asked.run} is paused\nnext: shiftwork resume {asked.run}", as_json=as_json)
