"""The repository that contains the folder in which the command was typed."""

from pathlib import Path
from typing import Final

from shiftwork.config.project import Ownership
from shiftwork.config.site import STORE_URL, Site, environment, find_site
from shiftwork.errors import NoRepositoryError, SettingsError

_WIDEST: Final = 300


def here(*, settings: bool = False) -> Site:
    """For commands that open the database. A database that the repository's own file names receives the user's name and
    password, from wherever programs find these: the user must have trusted it.

    Commands that only read or steer need no more of the `settings` than that: a run continues while its file is being
    fixed.
    """
    try:
        site = around()
    except SettingsError as error:
        if settings:
            raise
        return _despite(error)
    _warn(site)
    if site.claimed:
        from shiftwork.config.trust.consent_claims import settings_claim  # noqa: PLC0415 - most have their history in a file beside them
        from shiftwork.entrypoints.cli.env.trust import ensure  # noqa: PLC0415 - as above

        ensure(settings_claim(site.root), environment())
    return site


def _warn(site: Site) -> None:
    if site.ownership is Ownership.UNREGISTERED:
        import click  # noqa: PLC0415 - rarely needed

        from shiftwork.entrypoints.cli.render.sanitize import plain  # noqa: PLC0415 - as above

        reason = f"{plain(str(site.state))} was not created here by you and is not read; shiftwork adopt takes it over"
        click.echo(f"shiftwork: warning: {reason}", err=True)


def _despite(error: SettingsError) -> Site:
    """The database of the repository or of $SHIFTWORK_DATABASE; a database in unreadable settings is unknown."""
    env = environment()
    site = find_site(_folder(), env, reading=False)
    if not env.get(STORE_URL) and (site.ownership is not Ownership.OWN or not site.own_store.exists()):
        message = f"{error.message}; it may name another database, and {site.state} has none"
        raise SettingsError(message, hint=error.hint)
    import click  # noqa: PLC0415 - only a mistake pays for it

    from shiftwork.entrypoints.cli.render.sanitize import one_line  # noqa: PLC0415 - as above

    which = f"${STORE_URL}" if env.get(STORE_URL) else str(site.own_store)
    click.echo(f"shiftwork: {one_line(error.message, _WIDEST)}; continuing with {which}", err=True)
    return site


def around() -> Site:
    """For commands that do not open the database, or ask for trust themselves."""
    return find_site(_folder(), environment())


def root_or_folder(*, settings: bool = True) -> Path:
    """The root of the repository; outside of a repository the folder itself, for commands that need none. Without
    `settings`, they may be unreadable.
    """
    try:
        return around().root if settings else find_site(_folder(), environment(), reading=False).root
    except NoRepositoryError:
        return _folder()


def usual_workflow() -> str:
    """The workflow that a run uses here by default."""
    from shiftwork.config.settings.settings import load_settings  # noqa: PLC0415 - heavy, and needed only here
    from shiftwork.domain.workflow.workflow import AUTO  # noqa: PLC0415 - as above

    return load_settings(root_or_folder(), {}).run.workflow or AUTO.id


def _folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise NoRepositoryError("the current folder does not exist any more", hint="cd to one that exists") from None
