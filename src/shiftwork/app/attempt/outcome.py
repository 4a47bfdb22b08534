"""What the end of an attempt means: the facts it becomes, and the state its workspace is left in."""

from collections.abc import Sequence
from typing import Final

from shiftwork import failpoints
from shiftwork.app.attempt.attempt import Attempt, Said
from shiftwork.app.attempt.edits import apply_requests
from shiftwork.app.attempt.side_outputs import aside, planned
from shiftwork.app.runtime.locations import desk_of, place_of
from shiftwork.app.runtime.profiles import chain
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.memory.notes import Remark
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.facts.steps import Trouble
from shiftwork.domain.story.holds import MAX_QUESTIONS
from shiftwork.domain.story.recovery import rate_limits
from shiftwork.domain.story.spending import allowance
from shiftwork.domain.text.excerpt import with_last_words
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.ports.agent import AgentReport, Ending
from shiftwork.ports.desk import Mail, Question
from shiftwork.prompts.answer import contract, result

_TROUBLES: Final = {
    Ending.CRASHED: Trouble.CRASHED,
    Ending.API_ERROR: Trouble.API_ERROR,
    Ending.RATE_LIMITED: Trouble.LIMITED,
    Ending.OVERLOADED: Trouble.LIMITED,
    Ending.LOOPING: Trouble.LOOPING,
    Ending.SPENT: Trouble.CRASHED,  # one that has not come near what it may use has not stopped for that
    Ending.FLOODED: Trouble.FLOODED,
    Ending.TIMED_OUT: Trouble.TIMED_OUT,
    Ending.SILENT: Trouble.SILENT,
    Ending.CANCELLED: Trouble.CANCELLED,
}
_NEAR: Final = 0.9
"""An agent that has used what it may has used this part of it at least, and the next one gets more. One that says so
sooner is not believed: it would be begun again without end, because that spends no retry.
"""

_BOUNDS: Final = {
    Trouble.SILENT: "silence_minutes",
    Trouble.TIMED_OUT: "time_factor",
    Trouble.FLOODED: "max_output_mib",
}
"""The settings that say when an attempt is ended."""

_WAYS_ON: Final = ("It is allowed now: try again.", "Do without it.")
_WITHOUT_WORDS: Final = frozenset({Trouble.CANCELLED, Trouble.REJECTED})
"""A person's doing, and what the agent itself has given as the reason: its last words add nothing."""

_FROM_OUTSIDE: Final = frozenset({Trouble.TIMED_OUT, Trouble.SILENT, Trouble.LOOPING, Trouble.CANCELLED})


async def ended(attempt: Attempt, report: AgentReport) -> tuple[Fact, ...]:
    if report.ending is not Ending.FINISHED:
        return await _fell_short(attempt, report)
    said = contract.parse(report.answer)
    mail = await attempt.recorder.world.desks.collect(attempt.desk)
    if question := asked(said, mail):
        return await _asked(attempt, report, Said(answer=said, mail=mail), question)
    came_to = result.result(attempt.step, said)
    if report.denials and await _in_vain(attempt, came_to):
        return await _asked(attempt, report, Said(answer=said, mail=mail), _denied(attempt, report))
    if isinstance(came_to, result.Amiss):
        trouble = Trouble.REJECTED if came_to.rejected else Trouble.CONTRACT
        return await _went_wrong(attempt, report, trouble, came_to.error)
    plan = contract.stories(report.answer, wanted=attempt.step.plan.plans)
    if isinstance(plan, contract.Problem):
        return await _went_wrong(attempt, report, Trouble.CONTRACT, plan.text)
    return await _finished(attempt, report, Said(answer=said, mail=mail, plan=plan), came_to)


def asked(said: contract.Answer, mail: Mail) -> Question | None:
    """What a person is to be asked: by the tool, or by an answer that says what stands in the way."""
    if mail.questions:
        texts = "\n\n".join(one.text for one in mail.questions)
        return Question(text=texts, options=mail.questions[-1].options)
    text = result.question(said)
    return Question(text=text) if text else None


async def _in_vain(attempt: Attempt, came_to: result.Result | result.Amiss) -> bool:
    """Whether the attempt has come to nothing: it was to change files and has changed none, or its answer will not do
    and nothing is left of its retries. One that was refused something and found another way is no matter.
    """
    step = attempt.step
    if isinstance(came_to, result.Amiss) and step.retries >= step.plan.max_retries:
        return True
    row = CATALOGUE.get(step.plan.type)
    return row is not None and row.changes and await _commit(attempt) == attempt.story.work.head


def _denied(attempt: Attempt, report: AgentReport) -> Question:
    """Nobody sits at an agent's own prompt: what it was refused there is asked here."""
    refused = ", ".join(dict.fromkeys(report.denials))
    told = f"{attempt.step.played_by} was not allowed to use {refused}, and has come to nothing without it."
    return Question(text=f"{told} Allow it in the agent's own settings, or say how to do without.", options=_WAYS_ON)


async def _fell_short(attempt: Attempt, report: AgentReport) -> tuple[Fact, ...]:
    """It ended without an answer: kept from its work, out of money, or in trouble."""
    trouble = _TROUBLES[report.ending]
    if trouble is Trouble.LIMITED:
        return await _limited(attempt, report)
    cap = allowance.cap(attempt.story, attempt.step)
    if report.ending is Ending.SPENT and cap is not None and (report.usage.cost_usd or 0.0) >= cap * _NEAR:
        return await _cut_short(attempt, report)
    return await _went_wrong(attempt, report, trouble, report.detail or str(report.ending))


async def _limited(attempt: Attempt, report: AgentReport) -> tuple[Fact, ...]:
    """The agent could not be asked: another profile goes on, or the story waits, until the step has met too many."""
    world, story, step = attempt.recorder.world, attempt.story, attempt.step
    patience, reason = world.conduct.patience, report.detail or str(report.ending)
    if (times := rate_limits.times_in_vain(step, attempt.now)) > patience.times:
        told = f"a limit of {step.played_by} stood in the way {times} times, which is too often: {reason}"
        return await _went_wrong(attempt, report, Trouble.LIMITED, told)
    diff = await _abandon(attempt, "deferred")
    failpoints.reach("attempt.abandoned")
    now = attempt.now
    limit = rate_limits.met(story, step, report.resets_at, now)
    resets_at = now + rate_limits.seconds_to_wait(limit, patience, f"{story.given.run}/{story.given.story.id}")
    limited = rate_limits.limited_too(story.rate_limit.limited, step.played_by, resets_at)
    fact = story_facts.StepDeferred(
        at=now,
        step=step.id,
        attempt=attempt.number,
        agent=step.played_by,
        resets_at=resets_at,
        until=rate_limits.next_chance(chain(world, story, step), limited, now),
        reason=reason,
        usage=report.usage,
        diff=diff,
        promised=rate_limits.promise(limit, patience, now),
    )
    return (fact,)


async def _cut_short(attempt: Attempt, report: AgentReport) -> tuple[Fact, ...]:
    """The agent has used what it may: that is no fault of its own, and the limits decide what comes next."""
    diff = await _abandon(attempt, "cut-short")
    failpoints.reach("attempt.abandoned")
    step = attempt.step.id
    return (story_facts.StepCutShort(at=attempt.now, step=step, attempt=attempt.number, usage=report.usage, diff=diff),)


async def _went_wrong(attempt: Attempt, report: AgentReport, trouble: Trouble, error: str) -> tuple[Fact, ...]:
    """Keep the attempt's changes as a diff and put the workspace back; its edits stay on its desk, not applied."""
    diff = await _abandon(attempt, "failed")
    failpoints.reach("attempt.abandoned")
    ended = failure(attempt, report, trouble, error, diff)
    cancel = (story_facts.StoryCancelRequested(at=attempt.now),) if trouble is Trouble.CANCELLED else ()
    return (ended, *cancel)


def failure(attempt: Attempt, report: AgentReport, trouble: Trouble, error: str, diff: str = "") -> Fact:
    """A failed attempt, or a cancelled one where the trouble came from outside."""
    kind = story_facts.StepCancelled if trouble in _FROM_OUTSIDE else story_facts.StepFailed
    if trouble in _BOUNDS:
        head, *rest = error.split("\n")
        error = "\n".join((f"{head}; to allow more, raise {_BOUNDS[trouble]} under [agent] in shiftwork.toml", *rest))
    if trouble not in _WITHOUT_WORDS:
        error = with_last_words(error, report.answer or report.said)
    return kind(
        at=attempt.now,
        step=attempt.step.id,
        attempt=attempt.number,
        trouble=trouble,
        error=error,
        usage=report.usage,
        diff=diff,
    )


async def _abandon(attempt: Attempt, why: str) -> str:
    world, story = attempt.recorder.world, attempt.story
    keep = world.desks.keep_path(desk_of(story, attempt.step.id, attempt.number), why)
    kept = await world.workspaces.restore(place_of(story), attempt.step.start_commit, keep)
    return str(keep) if kept else ""


async def _asked(attempt: Attempt, report: AgentReport, said: Said, question: Question) -> tuple[Fact, ...]:
    """What was done so far is kept, like that of a step that puts itself back; what it wanted to edit it can ask for
    again when it goes on.
    """
    if attempt.step.questions >= MAX_QUESTIONS:
        told = f"this step has asked {MAX_QUESTIONS} questions, which is the limit; this one was: {question.text}"
        return await _went_wrong(attempt, report, Trouble.REJECTED, told)
    commit = await _commit(attempt)
    failpoints.reach("attempt.committed")
    summary = (Remark(text=said.answer.summary),) if said.answer.summary else ()
    fact = story_facts.QuestionAsked(
        at=attempt.now,
        step=attempt.step.id,
        attempt=attempt.number,
        question=question.text,
        options=question.options,
        commit=commit,
        usage=report.usage,
    )
    return (*await aside(attempt, said, summary), fact)


async def _finished(attempt: Attempt, report: AgentReport, said: Said, came_to: result.Result) -> tuple[Fact, ...]:
    mail = said.mail
    edited = apply_requests(attempt.story.pipeline, attempt.step.id, mail.edits, attempt.now)
    if edited.refused_restart:
        return await _went_wrong(attempt, report, Trouble.REJECTED, edited.refused_restart)
    if edited.restarted:
        diff = await _abandon(attempt, "restarted")
        failpoints.reach("attempt.abandoned")
        return (*edited.facts, _yielded(attempt, report, Commit(""), diff))
    commit = await _kept(attempt)
    if unresolved := await _unresolved(attempt, commit):
        told = f"conflict markers still stand in {', '.join(unresolved)}"
        return await _went_wrong(attempt, report, Trouble.CONTRACT, told)
    failpoints.reach("attempt.committed")
    if edited.put_back:
        left = await aside(attempt, said, (Remark(text=came_to.notes),))
        return (*left, *edited.facts, _yielded(attempt, report, commit, ""))
    left = (*await aside(attempt, said), *planned(attempt, said))
    return (*left, *edited.facts, _completed(attempt, report, came_to, commit))


async def _kept(attempt: Attempt) -> Commit:
    """The work so far with what the attempt has changed; one that plans has nothing to change."""
    if not attempt.step.plan.plans:
        return await _commit(attempt)
    await _abandon(attempt, "planned")
    return attempt.story.work.head


async def _commit(attempt: Attempt) -> Commit:
    given, step = attempt.story.given, attempt.step
    message = f"{given.story.id} {step.id} {step.plan.type} (attempt {attempt.number})"
    return await attempt.recorder.world.workspaces.snapshot(place_of(attempt.story), attempt.story.work.head, message)


async def _unresolved(attempt: Attempt, commit: Commit) -> Sequence[str]:
    refused = attempt.story.landing.refused
    if attempt.step.plan.type != "rebase_resolve" or refused is None:
        return ()
    return await attempt.recorder.world.repository.unresolved(commit, refused.files)


def _yielded(attempt: Attempt, report: AgentReport, commit: Commit, diff: str) -> Fact:
    return story_facts.StepYielded(
        at=attempt.now,
        step=attempt.step.id,
        attempt=attempt.number,
        commit=commit,
        usage=report.usage,
        diff=diff,
    )


def _completed(attempt: Attempt, report: AgentReport, came_to: result.Result, commit: Commit) -> Fact:
    return story_facts.StepCompleted(
        at=attempt.now,
        step=attempt.step.id,
        attempt=attempt.number,
        commit=commit,
        notes=came_to.notes,
        outputs=came_to.outputs,
        usage=report.usage,
        decision=came_to.decision,
        verdict=came_to.verdict,
    )
