"""`shiftwork trust`: shows what a file of the repository would run and what it says of guards, and remembers that."""

from dataclasses import asdict
from pathlib import Path

import click

from shiftwork.bootstrap.workflows import choose
from shiftwork.config.settings import load_settings
from shiftwork.config.site import SETTINGS_FILE, Site, environment
from shiftwork.config.trust import Claim, settings_claim
from shiftwork.config.user import user_folder
from shiftwork.entrypoints.cli.asking import asked_for, claim_of
from shiftwork.entrypoints.cli.documents import say
from shiftwork.entrypoints.cli.here import around
from shiftwork.entrypoints.cli.trusting import book, changes

_SPECS = frozenset({".json", ".md", ".markdown"})


@click.command("trust", short_help="Allow the commands of this repository's settings or of a workflow to run.")
@click.argument("what", default="", metavar="[WORKFLOW|SPEC]")
@click.option("--show", is_flag=True, help="Only show it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(what: str, *, show: bool, as_json: bool) -> None:
    """Allow the commands of shiftwork.toml, of WORKFLOW (a name or a path) or of the checks and verification steps of
    SPEC (a .json or .md file) to run on this machine.

    Of shiftwork.toml you agree to its guards and limits as well: the sandbox, what is proof, what is protected, the
    workflow, what may be spent. Remembered is the list, for this file at this place, in your own configuration folder:
    whatever else changes in the file, you are asked again only when something of that does.
    """
    site, env = around(), environment()
    claim = _claim(site, what)
    known = book(env)
    trusted = known.trusts(claim)
    if not show and (claim.commands or not trusted):
        known.trust(claim)
    if as_json:
        listed = [asdict(one) for one in claim.commands]
        say(
            {
                "file": str(claim.file),
                "sha256": claim.sha256,
                "trusted": trusted or not show,
                "commands": listed,
            }
        )
        return
    if trusted and not claim.commands:
        click.echo(f"{claim.file.name} runs nothing: there is nothing to trust")
        return
    click.echo("\n".join(changes((), claim.commands)) or "  it runs nothing, and says nothing of guards and limits")
    click.echo(_told(claim, trusted=trusted, show=show))


def _told(claim: Claim, *, trusted: bool, show: bool) -> str:
    if show:
        return f"{'trusted' if trusted else 'not trusted'}: {claim.file}"
    return f"trusted: {claim.file}"


def _claim(site: Site, what: str) -> Claim:
    if what in {"", SETTINGS_FILE}:
        load_settings(site.root, {})  # a file with mistakes is told before it is trusted
        return settings_claim(site.root)
    if Path(what).suffix.lower() in _SPECS:
        return claim_of(site, asked_for(site, what)) or Claim(file=Path(what), commands=())
    chosen = choose(what, site.root, user_folder(environment()))
    return chosen.claim or Claim(file=chosen.path or site.root, commands=())
