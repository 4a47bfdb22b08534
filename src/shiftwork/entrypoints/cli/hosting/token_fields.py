"""The tokens for the HTTP API of a repository, and what programs get of each."""

from collections.abc import Sequence

from shiftwork.app.views.documents.document import Json, moment
from shiftwork.config.access.tokens import Token, Tokens
from shiftwork.config.project import Ownership, unregistered
from shiftwork.config.site import Site


def own_tokens(site: Site) -> Sequence[Token]:
    """Oldest first; none in a copied repository, where the tokens of the original open nothing."""
    return () if site.ownership is Ownership.UNREGISTERED else Tokens(site.state).all()


def revoked_token(site: Site, token: str) -> Token:
    """Revokes a token by its id or name. Raises StateError in a copied repository, UsageError if there is none."""
    if site.ownership is Ownership.UNREGISTERED:
        raise unregistered(site.whereabouts)
    return Tokens(site.state).revoke(token)


def token_fields(token: Token) -> Json:
    """Without its word."""
    return {
        "token_id": token.id,
        "name": token.name,
        "role": token.role.word,
        "created_at": moment(token.created_at),
    }
