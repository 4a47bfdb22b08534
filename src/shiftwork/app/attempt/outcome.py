"""Turns the end of an attempt into facts, and leaves its workspace in the matching state."""

from collections.abc import Sequence
from typing import Final

from shiftwork import failpoints
from shiftwork.app.attempt.attempt import Attempt, Said
from shiftwork.app.attempt.edits import apply_requests
from shiftwork.app.attempt.ending_facts import completed, unsummarised, yielded
from shiftwork.app.attempt.side_outputs import planned, reserved
from shiftwork.app.runtime.locations import attempt_folder_of, place_of
from shiftwork.app.runtime.profiles import chain
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.memory.notes import Remark
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.facts.steps import Trouble
from shiftwork.domain.story.holds import MAX_QUESTIONS
from shiftwork.domain.story.recovery import missing_summary, rate_limits
from shiftwork.domain.story.routing import must_change
from shiftwork.domain.story.spending import allowance
from shiftwork.domain.text.excerpt import with_last_words
from shiftwork.domain.workflow.pipeline import Unsummarised
from shiftwork.ports.agent import AgentReport, Ending
from shiftwork.ports.attempt_folder import AttemptOutputs, Question
from shiftwork.prompts.answer import contract, result
from shiftwork.prompts.lengths import shorten
from shiftwork.records import replace

_TROUBLES: Final = {
    Ending.CRASHED: Trouble.CRASHED,
    Ending.API_ERROR: Trouble.API_ERROR,
    Ending.RATE_LIMITED: Trouble.LIMITED,
    Ending.OVERLOADED: Trouble.LIMITED,
    Ending.LOOPING: Trouble.LOOPING,
    Ending.SPENT: Trouble.CRASHED,  # an agent that is not near its limit has not stopped because of it
    Ending.FLOODED: Trouble.FLOODED,
    Ending.TIMED_OUT: Trouble.TIMED_OUT,
    Ending.SILENT: Trouble.SILENT,
    Ending.CANCELLED: Trouble.CANCELLED,
}
_NEAR: Final = 0.9
"""An agent that stops at its cost limit must have used at least this part of it; then the next attempt gets more. An
earlier stop counts as a crash: otherwise the step could restart forever, because a stop at the limit costs no retry.
"""

_BOUNDS: Final = {
    Trouble.SILENT: "silence_minutes",
    Trouble.TIMED_OUT: "time_factor",
    Trouble.FLOODED: "max_output_mib",
}
"""The settings that limit an attempt."""

_WAYS_ON: Final = ("It is allowed now: try again.", "Continue without it.")
_WITHOUT_WORDS: Final = frozenset({Trouble.CANCELLED, Trouble.REJECTED})
"""Ended by a person, or with a reason from the agent itself: the agent's last text adds nothing."""

_FROM_OUTSIDE: Final = frozenset({Trouble.TIMED_OUT, Trouble.SILENT, Trouble.LOOPING, Trouble.CANCELLED})


async def ended(attempt: Attempt, report: AgentReport) -> tuple[Fact, ...]:
    if report.ending is not Ending.FINISHED:
        return await _fell_short(attempt, report)
    said = contract.parse(report.answer, result.asked_of(attempt.step))
    said = said if said.complete == attempt.story.given.story.id else replace(said, complete="")
    outputs = await attempt.recorder.context.attempt_folders.collect(attempt.attempt_folder)
    added = attempt.scratch
    outputs = replace(outputs, edits=(*outputs.edits, *added.edits), notes=(*outputs.notes, *added.notes))
    if question := asked(said, outputs):
        return await _asked(attempt, report, Said(answer=said, outputs=outputs), question)
    came_to = await _noted(attempt, report, result.result(attempt.step, said))
    if report.denials and await _in_vain(attempt, came_to):
        return await _asked(attempt, report, Said(answer=said, outputs=outputs), _denied(attempt, report))
    if isinstance(came_to, result.InvalidAnswer):
        trouble = Trouble.REJECTED if came_to.rejected else Trouble.CONTRACT
        return await _went_wrong(attempt, report, trouble, came_to.error)
    plan = contract.stories(report.answer, wanted=attempt.step.plan.plans)
    if isinstance(plan, contract.Problem):
        return await _went_wrong(attempt, report, Trouble.CONTRACT, plan.text)
    return await _finished(attempt, report, Said(answer=said, outputs=outputs, plan=plan), came_to)


def asked(said: contract.Answer, outputs: AttemptOutputs) -> Question | None:
    """The question for a person: from the tool, or from an answer that says what blocks the agent."""
    if outputs.questions:
        texts = "\n\n".join(question.text for question in outputs.questions)
        return Question(text=texts, options=outputs.questions[-1].options)
    text = result.question(said)
    return Question(text=text) if text else None


async def _noted(
    attempt: Attempt, report: AgentReport, came_to: result.Result | result.InvalidAnswer
) -> result.Result | result.InvalidAnswer:
    """If only the summary is missing: the result with a note in its place; it stays unsummarised if a follow-up in the
    same session will ask for it.
    """
    if isinstance(came_to, result.InvalidAnswer) or not came_to.unsummarised:
        return came_to
    head, commit = attempt.story.work.head, await _kept(attempt)
    files = () if commit == head else (await attempt.recorder.context.changes.between(head, commit)).files
    claimed = came_to.claimed and not attempt.step.last  # a review must say what it found
    note = "\n\n".join(filter(None, (missing_summary.note_of(files, claimed=claimed), came_to.notes)))
    remedy = missing_summary.remedy(attempt.story, attempt.step, report.usage, report.session, note)
    if remedy is missing_summary.Remedy.REFUSE:
        return result.InvalidAnswer(error=missing_summary.MISSING)
    return replace(came_to, notes=note, unsummarised=remedy is missing_summary.Remedy.FOLLOW_UP)


async def followed_up(attempt: Attempt, report: AgentReport, missed: Unsummarised) -> tuple[Fact, ...]:
    """The session was asked for its summary. What it changed meanwhile is dropped; without an answer, the note counts.

    The summary is the section, or else the whole answer, because nothing else was asked for.
    """
    if report.ending is Ending.CANCELLED:
        return await _went_wrong(attempt, report, Trouble.CANCELLED, report.detail)
    answer = report.answer if report.ending is Ending.FINISHED else ""
    said = contract.parse(answer, result.asked_of(attempt.step))
    if objection := result.question(said) or result.rejection(said):
        return await _went_wrong(attempt, report, Trouble.REJECTED, objection)
    summary = result.with_claims(said.summary or shorten(answer.strip(), contract.SUMMARY_LIMIT))
    await _abandon(attempt, "follow-up")
    failpoints.reach("attempt.abandoned")
    came_to = result.Result(
        notes=summary or missed.note, outputs=missed.outputs, decision=missed.decision, verdict=missed.verdict
    )
    return (completed(attempt, report, came_to, attempt.story.work.head),)


async def _in_vain(attempt: Attempt, came_to: result.Result | result.InvalidAnswer) -> bool:
    """Whether the attempt failed: it had to change files and changed none, or its answer is not acceptable and no
    retries are left. An attempt that was denied a tool but succeeded without it has not failed.
    """
    step = attempt.step
    if isinstance(came_to, result.InvalidAnswer) and step.retries >= step.plan.max_retries:
        return True
    decision = came_to.decision if isinstance(came_to, result.Result) else ""
    return must_change(step, decision) and await _commit(attempt) == attempt.story.work.head


def _denied(attempt: Attempt, report: AgentReport) -> Question:
    """Asks the user for a permission that the agent was denied, because no person answers the agent's own prompts."""
    refused = ", ".join(dict.fromkeys(report.denials))
    message = f"{attempt.step.assigned_profile} was not allowed to use {refused}, and failed without it."
    return Question(text=f"{message} Allow it in the agent's own settings, or say what else to do.", options=_WAYS_ON)


async def _fell_short(attempt: Attempt, report: AgentReport) -> tuple[Fact, ...]:
    """The attempt ended without an answer: rate-limited, at its cost limit, or failed."""
    trouble = _TROUBLES[report.ending]
    if trouble is Trouble.LIMITED:
        return await _limited(attempt, report)
    cap = allowance.cap(attempt.story, attempt.step)
    if report.ending is Ending.SPENT and cap is not None and (report.usage.cost_usd or 0.0) >= cap * _NEAR:
        return await _cut_short(attempt, report)
    return await _went_wrong(attempt, report, trouble, report.detail or str(report.ending))


async def _limited(attempt: Attempt, report: AgentReport) -> tuple[Fact, ...]:
    """The agent is rate-limited: another profile continues or the story waits, until this happens too often."""
    context, story, step = attempt.recorder.context, attempt.story, attempt.step
    patience, reason = context.work_policy.patience, report.detail or str(report.ending)
    most = min(patience.times, rate_limits.TIMES_GUESSED) if report.guessed else patience.times
    if (times := rate_limits.times_in_vain(step, attempt.now)) > most:
        message = f"a limit of {step.assigned_profile} was reached {times} times, which is too often: {reason}"
        return await _went_wrong(attempt, report, Trouble.LIMITED, message)
    diff = await _abandon(attempt, "deferred")
    failpoints.reach("attempt.abandoned")
    now = attempt.now
    limit = rate_limits.met(story, step, report.resets_at, now)
    resets_at = now + rate_limits.seconds_to_wait(limit, patience, f"{story.given.run}/{story.given.story.id}")
    limited = rate_limits.limited_too(story.rate_limit.limited, step.assigned_profile, resets_at)
    fact = story_facts.StepDeferred(
        at=now,
        step=step.id,
        attempt=attempt.number,
        agent=step.assigned_profile,
        resets_at=resets_at,
        until=rate_limits.next_chance(chain(context, story, step), limited, now),
        reason=reason,
        usage=report.usage,
        diff=diff,
        promised=rate_limits.promise(limit, patience, now),
    )
    return (fact,)


async def _cut_short(attempt: Attempt, report: AgentReport) -> tuple[Fact, ...]:
    """The agent has reached its cost limit: this is not a failure, and the limits decide what comes next."""
    diff = await _abandon(attempt, "cut-short")
    failpoints.reach("attempt.abandoned")
    step = attempt.step.id
    return (story_facts.StepCutShort(at=attempt.now, step=step, attempt=attempt.number, usage=report.usage, diff=diff),)


async def _went_wrong(attempt: Attempt, report: AgentReport, trouble: Trouble, error: str) -> tuple[Fact, ...]:
    """Keep the attempt's changes as a diff and restore the workspace; its edit requests are not applied."""
    diff = await _abandon(attempt, "failed")
    failpoints.reach("attempt.abandoned")
    ended = failure(attempt, report, trouble, error, diff)
    cancel = (story_facts.StoryCancelRequested(at=attempt.now),) if trouble is Trouble.CANCELLED else ()
    return (ended, *cancel)


def failure(attempt: Attempt, report: AgentReport, trouble: Trouble, error: str, diff: str = "") -> Fact:
    """The fact for a failed attempt, or for a cancelled attempt if it was ended from outside."""
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
    context, story = attempt.recorder.context, attempt.story
    keep = context.attempt_folders.keep_path(attempt_folder_of(story, attempt.step.id, attempt.number), why)
    kept = await context.workspaces.restore(place_of(story), attempt.step.start_commit, keep)
    return str(keep) if kept else ""


async def _asked(attempt: Attempt, report: AgentReport, said: Said, question: Question) -> tuple[Fact, ...]:
    """Keeps the work so far, as for a step that is put back; the agent can request its edits again later."""
    if attempt.step.questions >= MAX_QUESTIONS:
        message = f"this step has asked {MAX_QUESTIONS} questions, which is the limit; this one was: {question.text}"
        return await _went_wrong(attempt, report, Trouble.REJECTED, message)
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
    return (*await reserved(attempt, said, summary), fact)


async def _finished(attempt: Attempt, report: AgentReport, said: Said, came_to: result.Result) -> tuple[Fact, ...]:
    outputs = said.outputs
    edited = apply_requests(attempt.story.pipeline, attempt.step.id, outputs.edits, attempt.now)
    if edited.refused_restart:
        return await _went_wrong(attempt, report, Trouble.REJECTED, edited.refused_restart)
    if edited.restarted:
        diff = await _abandon(attempt, "restarted")
        failpoints.reach("attempt.abandoned")
        return (*edited.facts, yielded(attempt, report, Commit(""), diff))
    commit = await _kept(attempt)
    if unresolved := await _unresolved(attempt, commit):
        message = f"conflict markers are still in {', '.join(unresolved)}"
        return await _went_wrong(attempt, report, Trouble.CONTRACT, message)
    failpoints.reach("attempt.committed")
    if edited.put_back:
        left = await reserved(attempt, said, (Remark(text=came_to.notes),))
        return (*left, *edited.facts, yielded(attempt, report, commit, ""))
    left = (*await reserved(attempt, said), *planned(attempt, said))
    ending = unsummarised if came_to.unsummarised else completed
    return (*left, *edited.facts, ending(attempt, report, came_to, commit))


async def _kept(attempt: Attempt) -> Commit:
    """Commits the changes of the attempt; drops those of a step that plans, because it must not change anything."""
    if not attempt.step.plan.plans:
        return await _commit(attempt)
    await _abandon(attempt, "planned")
    return attempt.story.work.head


async def _commit(attempt: Attempt) -> Commit:
    given, step = attempt.story.given, attempt.step
    message = f"{given.story.id} {step.id} {step.plan.type} (attempt {attempt.number})"
    return await attempt.recorder.context.workspaces.snapshot(place_of(attempt.story), attempt.story.work.head, message)


async def _unresolved(attempt: Attempt, commit: Commit) -> Sequence[str]:
    refused = attempt.story.landing.refused
    if attempt.step.plan.type != "rebase_resolve" or refused is None:
        return ()
    return await attempt.recorder.context.repository.unresolved(commit, refused.files)
