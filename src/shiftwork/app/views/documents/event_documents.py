"""Makes the events of a stream from what happens in a run."""

from shiftwork.app.runtime.context import GateBegun, Sighting
from shiftwork.app.views.documents.document import known_moment, moment
from shiftwork.app.views.documents.event_records import AgentReport, ChangeEvent, Event, GateEvent
from shiftwork.app.views.live.board import Board, Change
from shiftwork.domain.core.ids import Stream
from shiftwork.ports.agent import AgentEvent


def seen(board: Board, sighting: Sighting, now: float) -> Event | None:
    """Records the sighting on the board, and returns its event; None if programs need not know it. `now` is the time of
    what an agent reports.
    """
    change, what = board.see(sighting), sighting.what
    run = board.run.plan.run if board.run.plan else None
    if change:
        return change_event(change, run)
    if isinstance(what, GateBegun):
        story = _story_of(sighting.stream)
        return GateEvent(time=moment(what.at), run=run, story=story, gate=what.gate, where=what.where)
    return _agent_event(board, sighting.stream, what, now) if isinstance(what, AgentEvent) else None


def change_event(change: Change, run: str | None) -> ChangeEvent:
    return ChangeEvent(
        time=moment(change.at),
        run=run,
        story=change.story or None,
        step=change.step or None,
        attempt=change.attempt or None,
        kind=change.event,
        type=change.type,
        name=change.name,
        text=change.text,
        until=known_moment(change.until),
        proof_text=change.proof,
    )


def _agent_event(board: Board, stream: Stream, event: AgentEvent, now: float) -> AgentReport:
    known = board.stories.get(stream)
    step = known.pipeline.current if known else None
    return AgentReport(
        time=moment(now),
        run=board.run.plan.run if board.run.plan else None,
        story=_story_of(stream),
        step=step.id if step else None,
        attempt=(step.attempts or None) if step else None,
        action=event.kind,
        tool=event.tool,
        text=event.text,
    )


def _story_of(stream: Stream) -> str:
    return stream.rpartition("/")[2]
