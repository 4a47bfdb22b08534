"""The address of the database. An invalid address is reported with its source before the database is opened, and so is
one whose driver is not installed.
"""

from shiftwork.adapters.store.sql.address import mistake
from shiftwork.adapters.store.sql.dialect import POSTGRES
from shiftwork.config.project import Ownership, unregistered
from shiftwork.config.site import SETTINGS_FILE, STORE_URL, Site
from shiftwork.errors import SettingsError
from shiftwork.extras import ensure_installed


def store_address(site: Site) -> str:
    """The address of the history. Raises SettingsError, MissingExtraError, and StateError if it is in state that does
    not belong to the user.
    """
    if site.stores_itself and site.ownership is Ownership.UNREGISTERED:
        raise unregistered(site.whereabouts)
    if site.claimed:
        repair = f'fix {SETTINGS_FILE}: url = "postgresql://user@host:5432/name" under [store]'
        return _checked(site.store_url, f"url under [store] in {SETTINGS_FILE}", repair)
    return _checked(site.store_url, STORE_URL)


def _checked(url: str, where: str, repair: str = "") -> str:
    if url.startswith(POSTGRES):
        ensure_installed("postgres", f"{where} is the address of a Postgres database")
    if wrong := mistake(url):
        hint = f"{where}=postgresql://user@host:5432/name or sqlite:////absolute/path.db, or unset it"
        raise SettingsError(f"{where} is not a database address: {wrong}", hint=repair or hint)
    return url
