"""`shiftwork token create`: creates a token for the HTTP API and prints it, once."""

import click

from shiftwork.app.views.documents.api_records import NewToken
from shiftwork.bootstrap.state.read_only import now
from shiftwork.config.access.tokens import Role, Tokens, role_of
from shiftwork.config.site import open_state
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.hosting.token_fields import token_fields
from shiftwork.entrypoints.cli.render.json import say


@click.command("create", short_help="Create a token and print it, once.")
@click.option(
    "--role",
    type=click.Choice([role.word for role in Role]),
    default=Role.VIEWER.word,
    show_default=True,
    help="What the token allows.",
)
@click.option("--name", default="", metavar="TEXT", help="What the token is for, as lists show it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(role: str, *, name: str, as_json: bool) -> None:
    """Create a token for the HTTP API and print it. It is not stored and cannot be shown again.

    Send it as a header: Authorization: Bearer TOKEN.
    """
    site = here()
    open_state(site)
    token, word = Tokens(site.state).create(role_of(role) or Role.VIEWER, name, now())
    if as_json:
        say(NewToken(**token_fields(token), token=word))
    else:
        click.echo(f"{word}\nnext: shiftwork token revoke {token.id}, when it is no longer needed")
