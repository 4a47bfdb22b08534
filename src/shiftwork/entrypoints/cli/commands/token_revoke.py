"""`shiftwork token revoke`: revokes a token for the HTTP API."""

import click

from shiftwork.app.views.documents.api_records import RevokedToken
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.hosting.token_fields import revoked_token, token_fields
from shiftwork.entrypoints.cli.render.json import say


@click.command("revoke", short_help="Revoke a token.")
@click.argument("token")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(token: str, *, as_json: bool) -> None:
    """Revoke TOKEN, an id or a name from `shiftwork token list`: the next request with it is refused."""
    revoked = revoked_token(here(), token)
    if as_json:
        say(RevokedToken(**token_fields(revoked)))
    else:
        click.echo(f"token {revoked.id} is revoked\nnext: shiftwork token list")
