"""`shiftwork proof`: shows the certificates of landed stories, writes them to files, and checks them again."""

from pathlib import Path

import click

from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.work.proof import Wanted, show, verify_all


@click.command("proof", short_help="Show what proves that a story is done, and check it again.")
@click.argument("what", default="", metavar="[STORY|FILE]")
@click.option("--run", default="", metavar="RUN", help="Run id, or its first characters; default: the newest run.")
@click.option("--verify", is_flag=True, help="Check it against the repository, and run its gates again.")
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), help="Write the certificate to FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(what: str, run: str, *, verify: bool, out: Path | None, as_json: bool) -> int:
    """Show the certificate of STORY: its criteria with the evidence for each, the gates and verification steps that
    passed, time and cost, and the commit. Without STORY, list the certificates of all landed stories of the run.

    --verify checks it against the repository: the commit is on its branch with exactly that tree, the evidence holds in
    it, the gates pass on it when run again with the same commands, it was not reverted, and the history agrees. FILE is
    a certificate that --out has written. If the history does not contain the run, as in a clone, the commit itself says
    what had to pass, and the output lists what cannot be checked. The exit code is 1 if anything does not hold.
    """
    wanted = Wanted(what=what, run=run, out=out)
    return verify_all(here(), wanted, as_json=as_json) if verify else show(here(), wanted, as_json=as_json)
