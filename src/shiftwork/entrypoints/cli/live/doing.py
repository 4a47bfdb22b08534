"""What happens in a story right now, in words: its agent, a gate, or what it waits for."""

from shiftwork.app.runtime.context import GateBegun
from shiftwork.app.views.live.activity import activity
from shiftwork.app.views.live.board import Board
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.story.state import LandingStage, StoryState
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.entrypoints.cli.render import phrases


def doing(board: Board, at: Stream) -> str:
    """Empty if the story has ended or needs a person: the question is shown elsewhere."""
    story = board.stories[at]
    if story.asks or story.ended_at:
        return ""
    if wait := story.rate_limit.wait:
        return f"until {phrases.o_clock(wait.until)}: {wait.reason}"
    landing = story.landing.progress is LandingStage.REQUESTED
    if story.control.paused:
        return "leaves the landing queue, then pauses" if landing else f"shiftwork resume {story.given.run} continues"
    if event := board.doing.get(at):
        return activity(event)
    return _gate(board.gates.get(at)) if landing else _ahead(story)


def _gate(begun: GateBegun | None) -> str:
    if begun is None:
        return "waits for its turn to land"
    return f"{begun.gate}{f' {begun.where}' if begun.where else ''} is running, then landing"


def _ahead(story: StoryState) -> str:
    step = story.pipeline.current
    if step is None:
        return ""
    return "continues when no story is left" if step.plan.kind is StepKind.LOOP else step.plan.description
