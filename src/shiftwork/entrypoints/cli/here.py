"""The repository around the folder in which a command was typed."""

from pathlib import Path

from shiftwork.config.site import Site, environment, find_site
from shiftwork.errors import RepositoryError


def here() -> Site:
    try:
        folder = Path.cwd()
    except FileNotFoundError:
        raise RepositoryError("the folder in which this was typed is gone", hint="cd to one that exists") from None
    return find_site(folder, environment())
