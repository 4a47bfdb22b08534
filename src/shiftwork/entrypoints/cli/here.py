"""The repository around the folder in which a command was typed."""

from pathlib import Path

from shiftwork.config.site import Site, environment, find_site
from shiftwork.errors import NoRepositoryError


def here() -> Site:
    """For commands that open its database. One that the repository's own file names gets the user's name and password,
    from wherever programs find these: the user must have trusted it.
    """
    site = around()
    if site.claimed:
        from shiftwork.config.trust import settings_claim  # noqa: PLC0415 - most have their history in a file beside them
        from shiftwork.entrypoints.cli.trusting import ensure  # noqa: PLC0415 - as above

        ensure(settings_claim(site.root), environment())
    return site


def around() -> Site:
    """For commands that do not, or ask for trust themselves."""
    return find_site(_folder(), environment())


def root_or_folder() -> Path:
    """The root of the repository; outside of one the folder itself, for commands that need none."""
    try:
        return around().root
    except NoRepositoryError:
        return _folder()


def _folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise NoRepositoryError("the folder in which this was typed is gone", hint="cd to one that exists") from None
