"""The quick door: what commands need that only look. Nothing is created, migrated or locked."""

from shiftwork.adapters.processes.owners import is_alive
from shiftwork.adapters.store import reader
from shiftwork.app.queries import Liveness
from shiftwork.config.site import Site
from shiftwork.ports.views import Queries


def open_queries(site: Site) -> Queries:
    return reader.open_queries(site.store_url)


def liveness() -> Liveness:
    return is_alive
