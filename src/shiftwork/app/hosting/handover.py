"""Hands runs over to the server of a repository, and takes them back: messages that outlive every process.

The last message about a run counts. Nothing records what the server has done about it: whether a run is over, and who
works on it, is in its history and its lease. So a server that starts reads all messages, and knows what to work on.
Rejected: a socket of the server. A request would be lost with the server, and no worker on another host would see it.
"""

from collections.abc import Iterable

from shiftwork.app.commands.runs import Order, record_run
from shiftwork.app.runtime.context import Context
from shiftwork.domain.core.ids import RunId, server_stream
from shiftwork.ports.store import Message, MessageBox
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOverRun:
    """A run that a server is to work on, in the checkout `folder`; the `position` of the request is its place in the
    queue.
    """

    run: RunId
    folder: str
    position: int


async def record_for_server(context: Context, order: Order) -> RunId:
    """Records a run that another process resumes, and leaves it to that process; raises as `start_run` does."""
    run = await record_run(context, order)
    await context.leases.release(run, context.owner)
    return run


async def hand_over(inbox: MessageBox, project: str, run: RunId, folder: str, key: str) -> None:
    """From now on, the server of the project works on the run; requested once for each key."""
    await inbox.post(server_stream(project), f"work/{run}/{key}", {"run": run, "folder": folder})


async def reclaim(inbox: MessageBox, project: str, run: RunId, key: str) -> None:
    """From now on, no server works on the run by itself; requested once for each key."""
    await inbox.post(server_stream(project), f"leave/{run}/{key}", {"run": run})


async def handed_over(inbox: MessageBox, project: str) -> dict[RunId, HandedOverRun]:
    """The runs that are handed over, in the order of the requests; some may have ended since."""
    return merged({}, await inbox.receive(server_stream(project), after=0))


def merged(known: dict[RunId, HandedOverRun], messages: Iterable[Message]) -> dict[RunId, HandedOverRun]:
    """The runs after these messages."""
    found = dict(known)
    for message in messages:
        run = RunId(message.body["run"])
        found.pop(run, None)
        if folder := message.body.get("folder"):
            found[run] = HandedOverRun(run=run, folder=folder, position=message.position)
    return found
