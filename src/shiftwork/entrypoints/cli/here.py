"""The repository around the folder in which a command was typed."""

from pathlib import Path

from shiftwork.config.site import Site, environment, find_site
from shiftwork.errors import NoRepositoryError


def here() -> Site:
    return find_site(_folder(), environment())


def root_or_folder() -> Path:
    """The root of the repository; outside of one the folder itself, for commands that need none."""
    try:
        return here().root
    except NoRepositoryError:
        return _folder()


def _folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise NoRepositoryError("the folder in which this was typed is gone", hint="cd to one that exists") from None
