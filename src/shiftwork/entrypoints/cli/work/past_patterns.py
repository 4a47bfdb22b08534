"""What earlier runs in this repository have learnt about its code: a new run starts with it."""

from shiftwork.app.attempt.memory import carried_patterns
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import landing_stream
from shiftwork.entrypoints.cli.env.sync_query import answer


def learnt_before(site: Site) -> tuple[str, ...]:
    queries = open_queries(site)
    if not answer(lambda: queries.runs(limit=1)):  # asking for the project would create it
        return ()
    return answer(lambda: carried_patterns(queries, queries.history, landing_stream(site.project, "")))
