"""`shiftwork token list`: lists the tokens for the HTTP API, without their words."""

import time

import click

from shiftwork.app.views.documents.api_records import ApiTokens, TokenFields
from shiftwork.config.access.tokens import Token
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.hosting.token_fields import own_tokens, token_fields
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import cells, plain


@click.command("list", short_help="List the tokens, without their words.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, as_json: bool) -> None:
    """List the tokens for the HTTP API: the id, the role, when each was created, and what it is for."""
    tokens = own_tokens(here())
    if as_json:
        say(ApiTokens(all_tokens=[TokenFields(**token_fields(token)) for token in tokens]))
        return
    if not tokens:
        click.echo("there is no token\nnext: shiftwork token create --role viewer")
        return
    click.echo("\n".join(_lines([("id", "role", "created", "name"), *(_cells(token) for token in tokens)])))


def _cells(token: Token) -> tuple[str, ...]:
    created = time.strftime("%Y-%m-%d %H:%M", time.localtime(token.created_at))
    return (token.id, token.role.word, created, plain(token.name) or "-")


def _lines(rows: list[tuple[str, ...]]) -> list[str]:
    room = [max(cells(row[column]) for row in rows) for column in range(3)]
    return ["  ".join((*map(phrases.padded, row[:3], room), row[3])) for row in rows]
