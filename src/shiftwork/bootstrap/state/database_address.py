"""Where databases are said to be: what cannot be an address is told with where it was written, before any is opened."""

from shiftwork.adapters.store.sql.address import mistake
from shiftwork.config.project import Standing, unregistered
from shiftwork.config.site import ENGINE_URL, SETTINGS_FILE, STORE_URL, Site
from shiftwork.errors import SettingsError


def store_address(site: Site) -> str:
    """The history's; raises SettingsError, and StateError where it is in state that is not the user's."""
    if site.stores_itself and site.standing is Standing.UNREGISTERED:
        raise unregistered(site.whereabouts)
    if site.claimed:
        mending = f'mend {SETTINGS_FILE}: url = "postgresql://user@host:5432/name" under [store]'
        return _checked(site.store_url, f"url under [store] in {SETTINGS_FILE}", mending)
    return _checked(site.store_url, STORE_URL)


def engine_address(site: Site) -> str:
    """The engine's, which is the history's where nobody says otherwise; raises SettingsError."""
    return _checked(site.engine_url, ENGINE_URL)


def _checked(url: str, where: str, mending: str = "") -> str:
    if wrong := mistake(url):
        hint = f"{where}=postgresql://user@host:5432/name or sqlite:////absolute/path.db, or unset it"
        raise SettingsError(f"{where} is no address of a database: {wrong}", hint=mending or hint)
    return url
