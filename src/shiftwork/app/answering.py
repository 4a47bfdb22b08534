"""What people say to a story that waits for them: checked when it is said, left in its inbox, once for each wait."""

from dataclasses import dataclass
from enum import StrEnum

from shiftwork.app import messages
from shiftwork.app.kinds import STORY, load
from shiftwork.domain.model.ids import RunId, StoryId, story_stream
from shiftwork.domain.model.story import Hold, HoldCause, StoryState
from shiftwork.errors import IntentError
from shiftwork.ports.store import EventStore, Inbox


class Word(StrEnum):
    """How a person answers."""

    ANSWER = "answer"
    APPROVE = "approve"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What is said to which story. `text` is the answer, or the reason that goes with a yes or a no."""

    run: RunId
    story: StoryId
    word: Word
    text: str = ""


async def reply(events: EventStore, inbox: Inbox, said: Reply) -> Hold:
    """Leave it for the story; give what it was the answer to.

    Raises IntentError where the story, with all that has been said to it before, asks nothing, or something else.
    """
    stream = story_stream(said.run, said.story)
    state = await load(events, STORY, stream)
    mail = await inbox.receive(stream, after=state.cursor)
    hold = _asked(said, STORY.fold(state, messages.facts_of(stream, mail, 0.0)))
    _check(said, hold)
    body = messages.release(granted=said.word is not Word.REJECT, answer=_chosen(said, hold), hold=state.holds)
    await inbox.post(stream, f"release/{state.holds}", body)
    return hold


def _asked(said: Reply, state: StoryState) -> Hold:
    if state.hold is None:
        known = "waits for nobody" if state.assignment else "has not begun"
        raise IntentError(f"{said.story} {known}", hint=f"shiftwork stories {said.run}")
    return state.hold


def _check(said: Reply, hold: Hold) -> None:
    if hold.cause is HoldCause.LIMIT and said.word is not Word.REJECT:
        raise IntentError(
            f"{said.story} has reached its limit: {hold.detail}", hint=f"shiftwork status {said.run} says what to type"
        )
    if hold.cause is HoldCause.APPROVAL and said.word is Word.ANSWER:
        raise IntentError(
            f"{said.story} asks for a yes or a no: {hold.detail}",
            hint=f"shiftwork approve {said.story}, or: shiftwork reject {said.story} --because …",
        )


def _chosen(said: Reply, hold: Hold) -> str:
    """The text; a number stands for one of the options, where there are any."""
    number = int(said.text) if said.text.strip().isdecimal() else 0
    return hold.options[number - 1] if 1 <= number <= len(hold.options) else said.text.strip()
