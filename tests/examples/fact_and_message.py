"""Stores the fact of the example, sends it as a message, and prints how it changes a run."""

import asyncio
from typing import Any

from shiftwork.adapters.store.in_memory import MemoryInbox
from shiftwork.app.messaging.messages import UNREAD, facts_of, send
from shiftwork.domain.codec import KINDS, decode, encode
from shiftwork.domain.core.ids import run_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RunState
from shiftwork.testing.builders import RUN, run_plan

moved: Any = KINDS["BranchMoved"]
run = evolve_run(RunState(), run_facts.RunStarted(at=1, plan=run_plan()))

stored = encode(moved(at=2, branch="stored"))
print(evolve_run(run, decode(stored.kind, stored.version, stored.body)).given.branch)  # noqa: T201 - its result


async def sent() -> RunState:
    inbox = MemoryInbox()
    await send(inbox, run_stream(RUN), "once", moved(at=UNREAD, branch="sent"))
    state = run
    for fact in facts_of(run_stream(RUN), await inbox.receive(run_stream(RUN), after=0), at=3):
        state = evolve_run(state, fact)
    return state


after = asyncio.run(sent())
print(after.given.branch, after.cursor)  # noqa: T201 - its result
