"""`shiftwork proof`: shows the certificates of landed stories, writes them to files, and checks them again."""

from pathlib import Path

import click

from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.work.proof import Wanted, show, verify_all


@click.command("proof", short_help="Show what proves that a story is done, and check it again.")
@click.argument("what", default="", metavar="[STORY|FILE]")
@click.option("--run", default="", metavar="RUN", help="The run it belongs to; the newest where none is named.")
@click.option("--verify", is_flag=True, help="Hold it against the repository, and run its gates again.")
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), help="Write the certificate to FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(what: str, run: str, *, verify: bool, out: Path | None, as_json: bool) -> int:
    """Show the certificate of STORY: its criteria with the evidence for each, the gates and verification steps that
    passed, what it took, and the commit. Without STORY those of all landed stories of the run are listed.

    With --verify it is checked against the repository: that the commit is on its branch with that very tree, that the
    evidence holds in it, that the gates pass on it, run again by the commands that they passed by, that it was not
    reverted, and that the history says the same. FILE is a certificate that --out has written. Where the history does
    not know the run, as in a clone, the commit itself says what had to pass, and what cannot be checked is told. The
    exit code is 1 if anything does not hold.
    """
    wanted = Wanted(what=what, run=run, out=out)
    return verify_all(here(), wanted, as_json=as_json) if verify else show(here(), wanted, as_json=as_json)
