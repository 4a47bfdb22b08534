"""Makes one attempt at one step: a fresh agent session in the story's workspace."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any, Final

from shiftwork import failpoints
from shiftwork.app.attempt import work_base
from shiftwork.app.attempt.attempt import Attempt
from shiftwork.app.attempt.memory import keep_story, present_run
from shiftwork.app.attempt.outcome import ended, failure, followed_up
from shiftwork.app.attempt.scratch_files import laid_files, taken_files
from shiftwork.app.attempt.watchdog import Watch
from shiftwork.app.messaging import run_inbox
from shiftwork.app.runtime import profiles
from shiftwork.app.runtime.context import Sighting
from shiftwork.app.runtime.git_retry import again
from shiftwork.app.runtime.leases import ensure_held
from shiftwork.app.runtime.locations import attempt_folder_of, place_of
from shiftwork.app.runtime.recorder import StoryRecorder
from shiftwork.domain.budget import reservations
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.plain import to_plain
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.named_gates import gates_of_run
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.facts.steps import Trouble
from shiftwork.domain.story.recovery.missing_summary import may_resume
from shiftwork.domain.story.recovery.rate_limits import profile
from shiftwork.domain.story.spending import allowance
from shiftwork.domain.story.state import ENDED
from shiftwork.domain.story.steering.step_edits import ends_attempt
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.errors import PassingGitError, RepositoryError
from shiftwork.ports.agent import AgentLimits, AgentReport, AgentTask, Ending, Session
from shiftwork.ports.attempt_folder import AttemptFolder
from shiftwork.prompts.prompt_parts import Surroundings, compose, summary_follow_up
from shiftwork.records import replace

FOLLOW_UP_SECONDS: Final = 300.0
"""How long a session may take to give the summary that its answer lacks."""


async def run_agent(effect: story_effects.RunAgent, recorder: StoryRecorder) -> tuple[Fact, ...]:
    """Make the attempt. If it was started before, it was interrupted, and the next attempt starts from scratch."""
    context, story = recorder.context, recorder.state
    if story.pipeline.step(effect.step).status is StepStatus.IN_PROGRESS:
        return await _interrupted(effect, recorder)
    try:
        tree, attempt_folder, unread_messages, frontend = await asyncio.gather(
            again(lambda: work_base.renewed_tree(recorder)),
            context.attempt_folders.lay(attempt_folder_of(story, effect.step, effect.attempt)),
            run_inbox.unread(recorder),
            again(lambda: work_base.changes_frontend(effect.step, recorder)),
        )
    except RepositoryError as error:
        return (_lost(recorder, error),)
    if unread_messages:
        await run_inbox.take_in(recorder, unread_messages)
        return ()
    await recorder.write(f"{effect.key}/start", (_started(effect, recorder, attempt_folder),))
    failpoints.reach("attempt.started")
    step = recorder.state.pipeline.step(effect.step)
    attempt = Attempt(
        recorder=recorder,
        step=step,
        number=effect.attempt,
        attempt_folder=attempt_folder,
        tree=tree,
        frontend=frontend,
    )
    laid = await laid_files(attempt, await present_run(context, story.given.run))
    report = _priced(attempt, await (_follow_up(attempt) if step.unsummarised else _session(attempt)))
    if report.ending is Ending.FINISHED:  # of another attempt, all files stay together in its diff
        attempt = replace(attempt, scratch=await taken_files(attempt, laid))
    failpoints.reach("attempt.ended")
    if report.ending is Ending.RESTARTED:
        await context.attempt_folders.clear(attempt_folder.home)
        return await _interrupted(effect, recorder, report.usage, restarted=True)
    try:
        facts = await _closed(attempt, report)
    except PassingGitError:
        facts = await _interrupted(effect, recorder, report.usage)
    except RepositoryError as error:
        facts = (failure(attempt, report, Trouble.CRASHED, error.message), _lost(recorder, error))
    return facts


async def _closed(attempt: Attempt, report: AgentReport) -> tuple[Fact, ...]:
    """The facts of the end. The agent's home is removed meanwhile, unless its session may have to be resumed."""
    clear = attempt.recorder.context.attempt_folders.clear
    home, missed = attempt.attempt_folder.home, attempt.step.unsummarised
    if missed:
        facts = await followed_up(attempt, report, missed)
        await asyncio.gather(clear(home), clear(Path(missed.home)))
    elif not report.session:
        facts, _ = await asyncio.gather(ended(attempt, report), clear(home))
    else:
        facts = await ended(attempt, report)
        if not any(isinstance(fact, story_facts.SummaryMissed) for fact in facts):
            await clear(home)
    return facts


def _started(effect: story_effects.RunAgent, recorder: StoryRecorder, attempt_folder: AttemptFolder) -> Fact:
    context, story, now = recorder.context, recorder.state, recorder.context.clock.now()
    step = story.pipeline.step(effect.step)
    agent = profile(profiles.chain(context, story, step), story.rate_limit.limited, now)
    return story_facts.StepStarted(
        at=now,
        step=effect.step,
        attempt=effect.attempt,
        commit=story.work.head,
        log=str(attempt_folder.log),
        agent=agent,
        model=profiles.model(context, story, replace(step, assigned_profile=agent)),
    )


def _lost(recorder: StoryRecorder, error: RepositoryError) -> Fact:
    return story_facts.WorkspaceLost(
        at=recorder.context.clock.now(), number=recorder.state.work.workspace, reason=error.message
    )


def _priced(attempt: Attempt, report: AgentReport) -> AgentReport:
    """If an agent reports no cost, estimate it from its tokens, if the prices of its model are known."""
    used = replace(report.usage, model=report.model)
    if used.cost_usd is None and reservations.tokens_of(used):
        cost = attempt.recorder.context.price(used.model or attempt.step.model, used)
        used = replace(used, cost_usd=cost, estimated=cost is not None)
    return replace(report, usage=used)


async def _interrupted(
    effect: story_effects.RunAgent, recorder: StoryRecorder, usage: Usage | None = None, *, restarted: bool = False
) -> tuple[Fact, ...]:
    """A process died during the attempt, or a person restarted the step: keep its changes; the next attempt gets a
    workspace at another path. The person's request is read before that attempt.
    """
    context, story = recorder.context, recorder.state
    place, why = place_of(story), "restarted" if restarted else "interrupted"
    keep = context.attempt_folders.keep_path(attempt_folder_of(story, effect.step, effect.attempt), why)
    with contextlib.suppress(RepositoryError):  # already removed: a process died here as well
        await context.workspaces.restore(place, story.pipeline.step(effect.step).start_commit, keep)
    await context.workspaces.discard(place)
    failpoints.reach("attempt.abandoned")
    return (
        story_facts.StepInterrupted(
            at=context.clock.now(),
            step=effect.step,
            attempt=effect.attempt,
            diff=str(keep) if context.attempt_folders.is_kept(keep) else "",
            usage=usage,
            restarted=restarted,
        ),
    )


async def _session(attempt: Attempt) -> AgentReport:
    """Run the agent with its prompt, within its limits, until it ends, or a person cancels the story or restarts it."""
    context, story = attempt.recorder.context, attempt.story
    run = await present_run(context, story.given.run)
    await keep_story(context, story)
    prompt = compose(story, attempt.step, _surroundings(attempt, run))
    await context.attempt_folders.brief(attempt.attempt_folder, prompt, _task_sheet(attempt))
    return await _until_ended(attempt, _task(attempt, prompt))


async def _follow_up(attempt: Attempt) -> AgentReport:
    """Ask the session of the attempt before for its summary, without tools. A session that cannot be asked any more has
    nothing to say, at no cost.
    """
    missed = may_resume(attempt.step, attempt.number)
    if missed is None:
        return AgentReport(ending=Ending.FINISHED, usage=Usage(cost_usd=0.0))
    prompt = summary_follow_up()
    await attempt.recorder.context.attempt_folders.brief(attempt.attempt_folder, prompt, _task_sheet(attempt))
    task = _task(attempt, prompt)
    asked = replace(
        task,
        home=Path(missed.home),
        limits=replace(task.limits, wall_seconds=min(task.limits.wall_seconds, FOLLOW_UP_SECONDS)),
        toolbox=(),
        resume=Session(id=missed.session, usage=missed.usage),
    )
    return await _until_ended(attempt, asked)


def _task(attempt: Attempt, prompt: str) -> AgentTask:
    context, story, step = attempt.recorder.context, attempt.story, attempt.step
    work_policy, attempt_folder, given = context.work_policy, attempt.attempt_folder, story.given
    return AgentTask(
        prompt=prompt,
        workdir=attempt.tree,
        home=attempt_folder.home,
        log=attempt_folder.log,
        marker=f"{given.run}/{given.story.id}/{step.id}/{attempt.number}",
        limits=AgentLimits(
            wall_seconds=step.plan.minutes * 60 * work_policy.time_factor,
            silence_seconds=work_policy.silence_seconds,
            output_bytes=work_policy.output_bytes,
            cost_usd=allowance.cap(story, step),
        ),
        toolbox=attempt_folder.toolbox,
        env=_environment(attempt),
        model=profiles.model(context, story, step),
        readable=(attempt_folder.folder,),
        writable=(attempt_folder.output_folder,),
    )


def _surroundings(attempt: Attempt, run: RunState) -> Surroundings:
    context, attempt_folder = attempt.recorder.context, attempt.attempt_folder
    return Surroundings(
        gates=gates_of_run(context.work_policy.gates, attempt.story.given.gates, attempt.story.given.without_gates),
        tools=bool(attempt_folder.toolbox) and attempt.step.assigned_profile not in context.work_policy.toolless,
        output_folder=str(attempt_folder.edit_request),
        branch=attempt.story.given.branch,
        work_branch=context.workspaces.branch(place_of(attempt.story)),
        attempt=attempt.number,
        workspace=str(attempt.tree),
        project=run.given.spec.project or context.work_policy.project,
        feature=run.given.spec.title,
        started_at=run.started_at or 0.0,
        memory=run.memory,
        remaining=sum(
            known.status not in ENDED for story, known in run.stories.items() if story != attempt.story.given.story.id
        ),
        frontend=attempt.frontend,
    )


def _environment(attempt: Attempt) -> dict[str, str]:
    """The environment variables of an attempt, including those that separate the test infrastructure of stories."""
    given = attempt.story.given
    return {
        "SHIFTWORK_RUN": given.run,
        "SHIFTWORK_STORY": given.story.id,
        "SHIFTWORK_STEP": attempt.step.id,
        "SHIFTWORK_STEP_NAME": attempt.step.plan.name,
        "SHIFTWORK_STEP_TYPE": attempt.step.plan.type,
        "SHIFTWORK_ATTEMPT_NUMBER": str(attempt.number),
        "SHIFTWORK_OUTPUTS": str(attempt.attempt_folder.output_folder),
        **attempt.recorder.context.workspaces.variables(place_of(attempt.story)),
        # If its own repository is lost, an agent must not find the user's, whose folder contains the workspace.
        "GIT_CEILING_DIRECTORIES": str(attempt.tree.parent),
    }


def _task_sheet(attempt: Attempt) -> dict[str, Any]:
    """What the agent's tools need to show the task and to check an edit at once; nothing if it gets none."""
    if not attempt.attempt_folder.toolbox:
        return {}
    given = attempt.story.given
    return {
        "step": attempt.step.id,
        "story": to_plain(given.story),
        "requirements": list(given.requirements),
        "non_goals": list(given.non_goals),
        "pipeline": to_plain(attempt.story.pipeline),
    }


async def _until_ended(attempt: Attempt, task: AgentTask) -> AgentReport:
    """If the agent ends and is cancelled at the same moment, its own end counts."""
    context, stream = attempt.recorder.context, attempt.recorder.stream
    await ensure_held(context, stream)  # never pay for an agent while another process has the run
    watch = Watch(
        context.work_policy.identical_calls, lambda event: context.observe(Sighting(stream=stream, what=event))
    )
    ends = [
        asyncio.ensure_future(end)
        for end in (
            context.agents[attempt.step.assigned_profile].attempt(task, watch.feed),
            _cancel_message(attempt),
            _restart_message(attempt),
            watch.loops(),
        )
    ]
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        report = next(end.result() for end in ends if end.done())
        return replace(report, said=report.said or watch.said)
    finally:
        for end in ends:
            end.cancel()
        await asyncio.gather(*ends, return_exceptions=True)


async def _cancel_message(attempt: Attempt) -> AgentReport:
    """Return when the story is cancelled."""
    await run_inbox.until(attempt.recorder, story_facts.StoryCancelRequested)
    return AgentReport(ending=Ending.CANCELLED, detail="cancelled")


async def _restart_message(attempt: Attempt) -> AgentReport:
    """Return when a person restarts the step and the rules allow it."""
    story, step = attempt.story, attempt.step.id
    await run_inbox.until(
        attempt.recorder, story_facts.WorkflowEditRequested, lambda asked: ends_attempt(story, step, asked.edits)
    )
    return AgentReport(ending=Ending.RESTARTED)
