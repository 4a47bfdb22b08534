"""The quick door: what commands need that only look. Nothing is created, migrated or locked."""

from shiftwork.adapters.store import reader
from shiftwork.app.queries import Liveness
from shiftwork.config.site import Site
from shiftwork.ports.views import Owner, Queries


def open_queries(site: Site) -> Queries:
    return reader.open_queries(site.store_url)


def liveness() -> Liveness:
    def alive(owner: Owner) -> bool | None:
        from shiftwork.adapters.processes.owners import is_alive  # noqa: PLC0415 - a run that is over has no owner

        return is_alive(owner)

    return alive
