"""A story that waits for a person: what is asked, what an answer does, and that the run may use its place meanwhile.

What a "no" does depends on what was asked. To an agent's question it is the answer; an approval that is refused takes
the route for `rejected`, or fails its step; where a limit or the retries are spent, or a person will not vouch for what
nobody else can check, the story ends.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from shiftwork.domain.core.decision import Effects
from shiftwork.domain.core.ids import StepId
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.spec.checkability import uncheckable
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.story import approval
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.routing import APPROVED, REJECTED, one_more, route_for
from shiftwork.domain.story.state import Hold, HoldCause, LandingStage, StoryState
from shiftwork.domain.story.transitions import turn_step_of
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.template_values import filled, values

MAX_QUESTIONS: Final = 10
"""How often one step may ask: an agent that only ever asks is not working."""


def question(story: StoryState, step: Step) -> str:
    """What a person is asked by a step that is to be approved: its own words, filled with what the story knows."""
    given = story.given
    asked = given.story
    known = {
        "task": given.task or asked.description,
        "run_id": given.run,
        "branch": given.branch,
        "current_story": f"{asked.id} {asked.title}",
        "current_story_id": asked.id,
        "current_story_title": asked.title,
        "verify_feedback": step.feedback,
    }
    own = filled(step.plan.input, values(story.dialogue.context, known)).strip()
    return own or step.plan.description.strip() or f"{step.plan.name}: may it go on?"


def unvouched(story: StoryState) -> str:
    """What a person is to vouch for before the story lands, under a strict policy: what nobody else can check, in the
    very work that is to land. A "yes" to other work is none to this.
    """
    unsure = uncheckable(story.given.story) if story.given.proof is ProofPolicy.STRICT else ()
    if not unsure or (story.confirmed.text and story.confirmed.commit == story.work.head):
        return ""
    changed = "the work has changed since you vouched for it: " if story.confirmed.text else ""
    listed = "; ".join(f"{one.id}: {one.text}" for one in unsure)
    return f"{changed}nobody but you can tell whether this holds: {listed}"


def tell_waiting(story: StoryState) -> Effects:
    """The run is told before the story waits, and again before it goes on. A story at its spending limit keeps its
    place: others would go on spending.
    """
    waiting = story.waiting.hold is not None and story.waiting.hold.cause is not HoldCause.LIMIT
    if waiting is story.waiting.reported:
        return ()
    key = f"waits/{story.waiting.holds}" if waiting else f"goes-on/{story.waiting.holds}"
    return (story_effects.TellWaiting(key=key, waiting=waiting),)


def waiting_told(story: StoryState, fact: story_facts.WaitingTold) -> StoryState | None:
    return replace(story, waiting=replace(story.waiting, reported=fact.waiting))


def held(story: StoryState, fact: story_facts.StoryHeld) -> StoryState | None:
    return (
        None if story.waiting.hold else _hold(story, Hold(cause=fact.cause, detail=fact.detail, reached=fact.reached))
    )


def _hold(story: StoryState, hold: Hold) -> StoryState:
    return replace(story, waiting=replace(story.waiting, hold=hold, holds=story.waiting.holds + 1))


def question_asked(story: StoryState, fact: story_facts.QuestionAsked) -> StoryState | None:
    step = story.pipeline.find(fact.step)
    if step is None or step.attempts != fact.attempt or story.waiting.hold:
        return None
    asked = turn_step_of(story, step, Trigger.ASK, questions=step.questions + 1, ended_at=fact.at, feedback="")
    if asked is None:
        return None
    unread = story.dialogue.messages[story.dialogue.delivered :]
    return replace(
        _hold(asked, Hold(cause=HoldCause.QUESTION, detail=fact.question, options=fact.options)),
        work=replace(story.work, head=fact.commit or story.work.head),
        dialogue=replace(story.dialogue, messages=unread, delivered=0),
    )


def released(story: StoryState, fact: story_facts.StoryReleased) -> StoryState | None:
    """An answer to nothing does nothing, and so does one to a wait that is over."""
    if story.waiting.hold is None or fact.hold not in {0, story.waiting.holds}:
        return None
    return _ANSWERS[story.waiting.hold.cause](
        replace(story, waiting=replace(story.waiting, hold=None)), story.waiting.hold, fact
    )


def _limit(story: StoryState, hold: Hold, fact: story_facts.StoryReleased) -> StoryState:
    """Only a higher limit ends the wait; see `allowing`."""
    return (
        replace(story, waiting=replace(story.waiting, hold=hold))
        if fact.granted
        else replace(story, control=replace(story.control, cancelled=True))
    )


def _question(story: StoryState, hold: Hold, fact: story_facts.StoryReleased) -> StoryState:
    said = fact.answer or "Yes." if fact.granted else f"No. {fact.answer}".strip()
    return replace(story, dialogue=replace(story.dialogue, answers=(*story.dialogue.answers, (hold.detail, said))))


def _approval(story: StoryState, hold: Hold, fact: story_facts.StoryReleased) -> StoryState:  # noqa: ARG001
    patch = approval.asked_about(story)
    step = approval.due(story) if patch else story.pipeline.current
    decided = _decided(story, step, fact) if step else story
    return approval.answered(decided, patch, fact, by_step=step is not None) if patch else decided


def _decided(story: StoryState, step: Step, fact: story_facts.StoryReleased) -> StoryState:
    value = APPROVED if fact.granted else REJECTED
    route = route_for(step, value)
    trigger = Trigger.COMPLETE if fact.granted or route else Trigger.FAIL
    said = fact.answer or value
    error = said if trigger is Trigger.FAIL else ""
    told = {"notes": fact.answer, "error": error, "decision": value, "verdict": said}
    turned = _turned(story, step, trigger, ended_at=fact.at, **told)
    return replace(turned, routing=step.id if route else StepId(""))


def _exhausted(story: StoryState, hold: Hold, fact: story_facts.StoryReleased) -> StoryState:  # noqa: ARG001
    deciding = story.pipeline.find(story.routing)
    step = deciding or story.pipeline.current
    if step is None:
        return story
    if not fact.granted:
        return replace(story, control=replace(story.control, cancelled=True))
    if deciding is None:
        feedback = fact.answer or step.error
        return _turned(story, step, Trigger.RETRY, retries=0, deferrals=0, in_vain=0, feedback=feedback)
    said = f"{deciding.verdict}\nA person says: {fact.answer}" if fact.answer else deciding.verdict
    told = replace(story, pipeline=story.pipeline.with_step(replace(deciding, verdict=said)))
    return one_more(told, deciding)


def _vouched(story: StoryState, hold: Hold, fact: story_facts.StoryReleased) -> StoryState:  # noqa: ARG001
    """A "yes" to the work as it is now is what the certificate says of these criteria; a "no" ends the story."""
    if not fact.granted:
        return replace(story, control=replace(story.control, cancelled=True))
    return replace(story, confirmed=replace(story.confirmed, text=fact.answer or "yes", commit=story.work.head))


def _dependencies(story: StoryState, hold: Hold, fact: story_facts.StoryReleased) -> StoryState:  # noqa: ARG001
    """A "yes" is to this work: it may be judged in the environment of its base. A "no" ends the story."""
    if not fact.granted:
        return replace(story, control=replace(story.control, cancelled=True))
    return replace(
        story, landing=replace(story.landing, borrowing=story.work.head, progress=LandingStage.NONE, refused=None)
    )


def _turned(story: StoryState, step: Step, trigger: Trigger, **changes: object) -> StoryState:
    return turn_step_of(story, step, trigger, **changes) or story


_ANSWERS: Final[dict[HoldCause, Callable[[StoryState, Hold, story_facts.StoryReleased], StoryState]]] = {
    HoldCause.LIMIT: _limit,
    HoldCause.QUESTION: _question,
    HoldCause.APPROVAL: _approval,
    HoldCause.CHANGED: _approval,
    HoldCause.EXHAUSTED: _exhausted,
    HoldCause.EVIDENCE: _vouched,
    HoldCause.DEPENDENCIES: _dependencies,
}
