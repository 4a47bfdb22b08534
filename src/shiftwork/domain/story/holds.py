"""A story that waits for a person: what it asks and what an answer does. The run may use its place meanwhile.

The effect of a "no" depends on the question. For an agent's question it is the answer; a refused approval takes the
route for `rejected`, or fails its step. The story ends if a limit or the retries are used up, or if a person does not
confirm the criteria that only a person can check.
"""

from collections.abc import Callable
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
from shiftwork.domain.story.state import Confirmed, Hold, HoldCause, LandingStage, StoryState
from shiftwork.domain.story.transitions import turn_step_of
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.template_values import filled, values
from shiftwork.records import replace

MAX_QUESTIONS: Final = 10
"""How many questions a step may ask: an agent that only asks makes no progress."""


def question(story: StoryState, step: Step) -> str:
    """The question of an approval step: its own text, filled with the values of the story."""
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
        "retry_feedback": step.feedback,
    }
    own = filled(step.plan.input, values(story.dialogue.context, known)).strip()
    return own or step.plan.description.strip() or f"{step.plan.name}: may it continue?"


def unvouched(story: StoryState) -> str:
    """What a person must confirm before the story lands under a strict policy: the criteria that no check covers. A
    "yes" is valid only for the commit that it was given for.
    """
    unsure = uncheckable(story.given.story) if story.given.proof is ProofPolicy.STRICT else ()
    if not unsure or (story.confirmed and story.confirmed.commit == story.work.head):
        return ""
    changed = "the work has changed since you confirmed it: " if story.confirmed else ""
    listed = "; ".join(f"{criterion.id}: {criterion.text}" for criterion in unsure)
    return f"{changed}only you can check {'this criterion' if len(unsure) == 1 else 'these criteria'}: {listed}"


def report_waiting(story: StoryState) -> Effects:
    """Reports to the run before the story waits, and again before it continues. A story at its spending limit keeps its
    place, because another story would continue to spend.
    """
    waiting = story.waiting.hold is not None and story.waiting.hold.cause is not HoldCause.LIMIT
    if waiting is story.waiting.reported:
        return ()
    key = f"waits/{story.waiting.holds}" if waiting else f"continues/{story.waiting.holds}"
    return (story_effects.ReportWaiting(key=key, waiting=waiting),)


def waiting_reported(story: StoryState, fact: story_facts.WaitingReported) -> StoryState | None:
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
    asking = replace(step, questions=step.questions + 1, ended_at=fact.at, feedback="")
    asked = turn_step_of(story, asking, Trigger.ASK)
    if asked is None:
        return None
    unread = story.dialogue.messages[story.dialogue.delivered :]
    return replace(
        _hold(asked, Hold(cause=HoldCause.QUESTION, detail=fact.question, options=fact.options)),
        work=replace(story.work, head=fact.commit or story.work.head),
        dialogue=replace(story.dialogue, messages=unread, delivered=0),
    )


def released(story: StoryState, fact: story_facts.StoryReleased) -> StoryState | None:
    """Applies an answer. It changes nothing if the story does not wait, or if that wait has ended."""
    if story.waiting.hold is None or fact.hold not in {0, story.waiting.holds}:
        return None
    return _ANSWERS[story.waiting.hold.cause](
        replace(story, waiting=replace(story.waiting, hold=None)), story.waiting.hold, fact
    )


def _limit(story: StoryState, hold: Hold, fact: story_facts.StoryReleased) -> StoryState:
    """Only a higher limit ends the wait; see `spending.allowance`."""
    return replace(story, waiting=replace(story.waiting, hold=hold)) if fact.granted else _refused(story, fact)


def _refused(story: StoryState, fact: story_facts.StoryReleased) -> StoryState:
    return replace(story, control=replace(story.control, cancelled=True, answer=fact.answer))


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
    decided = replace(step, notes=fact.answer, error=error, decision=value, verdict=said, ended_at=fact.at)
    turned = turn_step_of(story, decided, trigger) or story
    return replace(turned, routing=step.id if route else StepId(""))


def _exhausted(story: StoryState, hold: Hold, fact: story_facts.StoryReleased) -> StoryState:  # noqa: ARG001
    deciding = story.pipeline.find(story.routing)
    step = deciding or story.pipeline.current
    if step is None:
        return story
    if not fact.granted:
        return _refused(story, fact)
    if deciding is None:
        feedback = fact.answer or step.error
        again = replace(step, retries=0, deferrals=0, in_vain=0, feedback=feedback)
        return turn_step_of(story, again, Trigger.RETRY) or story
    said = f"{deciding.verdict}\nA person says: {fact.answer}" if fact.answer else deciding.verdict
    message = replace(story, pipeline=story.pipeline.with_step(replace(deciding, verdict=said)))
    return one_more(message, deciding)


def _confirmed(story: StoryState, hold: Hold, fact: story_facts.StoryReleased) -> StoryState:  # noqa: ARG001
    """A "yes" confirms the current work, and the certificate shows it for these criteria; a "no" ends the story."""
    if not fact.granted:
        return _refused(story, fact)
    return replace(story, confirmed=Confirmed(text=fact.answer or "yes", commit=story.work.head))


def _dependencies(story: StoryState, hold: Hold, fact: story_facts.StoryReleased) -> StoryState:  # noqa: ARG001
    """A "yes" allows this work to be checked in the environment of its base; a "no" ends the story."""
    if not fact.granted:
        return _refused(story, fact)
    return replace(
        story, landing=replace(story.landing, borrowing=story.work.head, progress=LandingStage.NONE, refused=None)
    )


def _message(story: StoryState, hold: Hold, fact: story_facts.StoryReleased) -> StoryState:  # noqa: ARG001
    """Words are the subject, about which the hook is asked again; a "yes" lets the message land as it was refused."""
    refused = story.landing.refused
    if not fact.granted or refused is None:
        return replace(story, control=replace(story.control, cancelled=True))
    said = " ".join(fact.answer.split())
    allowed = "" if said else refused.message
    landing = replace(story.landing, subject=said or story.landing.subject, allowed_message=allowed)
    return replace(story, landing=replace(landing, progress=LandingStage.NONE, refused=None))


_ANSWERS: Final[dict[HoldCause, Callable[[StoryState, Hold, story_facts.StoryReleased], StoryState]]] = {
    HoldCause.LIMIT: _limit,
    HoldCause.QUESTION: _question,
    HoldCause.APPROVAL: _approval,
    HoldCause.CHANGED: _approval,
    HoldCause.EXHAUSTED: _exhausted,
    HoldCause.EVIDENCE: _confirmed,
    HoldCause.DEPENDENCIES: _dependencies,
    HoldCause.MESSAGE: _message,
}
