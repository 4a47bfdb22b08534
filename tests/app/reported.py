"""What is said of a run, from its whole history."""

from typing import Any, Protocol

from shiftwork.app.views import costs
from shiftwork.app.views.history import Account, account
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.report import markdown_report, report_costs
from shiftwork.app.views.report.record_reader import read_record
from shiftwork.app.views.report.run_record import record_of
from shiftwork.domain.core.ids import RunId
from shiftwork.ports.store import History
from shiftwork.ports.views import Queries


class Store(Protocol):
    @property
    def queries(self) -> Queries: ...

    @property
    def events(self) -> History: ...


def report(account: Account, *, moving: bool = True) -> str:
    """The Markdown report."""
    return markdown_report.report(record_of(account), moving=moving)


async def report_of(store: Store, run: RunId) -> str:
    """The same as a command makes it, from rows: it is made from the same record."""
    view = await run_view(store.queries, run, lambda _: None)
    record = await read_record(store.queries, store.events, view)
    assert record == record_of(await account(store.events, run))
    return markdown_report.report(record)


def document(account: Account) -> dict[str, Any]:
    """The costs, for programs."""
    return costs.document(record_of(account))


def proof(account: Account) -> list[str]:
    """What the report says of the proof of a run's only story."""
    (story,) = record_of(account).stories
    return list(report_costs.proof(story))
