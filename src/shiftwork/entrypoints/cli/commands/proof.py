"""`shiftwork proof`: shows the certificates of landed stories, writes them to files, and checks them again."""

from pathlib import Path

import click

from shiftwork.entrypoints.cli.control.which_run import check_story_run, is_run
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.work.proof import Wanted, is_file, show, verify_all
from shiftwork.errors import UsageError


@click.command("proof", short_help="Show what proves that a story is done, and check it again.")
@click.argument("what", default="", metavar="[STORY|FILE]")
@click.option(
    "--run",
    default="",
    type=id_completion.RUN,
    metavar="RUN",
    help="Run id, or its first characters; default: the newest run.",
)
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
    site = here()
    if what and not run and not is_file(what):
        if is_run(site, what):
            raise UsageError(f"{what} is a run, not a story", hint=f"shiftwork proof --run {what}")
        check_story_run(site, what, f"shiftwork proof {what} --run {{run}}")
    return verify_all(site, wanted, as_json=as_json) if verify else show(site, wanted, as_json=as_json)
