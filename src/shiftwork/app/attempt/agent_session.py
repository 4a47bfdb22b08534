"""Makes one attempt at one step: a fresh agent session in the story's workspace."""

import asyncio
import contextlib
from dataclasses import replace
from typing import Any

from shiftwork import failpoints
from shiftwork.app.attempt.attempt import Attempt
from shiftwork.app.attempt.memory import keep_story, present_run
from shiftwork.app.attempt.outcome import ended, failure
from shiftwork.app.attempt.watchdog import Watch
from shiftwork.app.messaging import mailbox, messages
from shiftwork.app.runtime import profiles
from shiftwork.app.runtime.context import Sighting
from shiftwork.app.runtime.git_retry import again
from shiftwork.app.runtime.leases import ensure_held
from shiftwork.app.runtime.locations import desk_of, place_of
from shiftwork.app.runtime.recorder import StoryRecorder
from shiftwork.domain.budget import reservations
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.plain import to_plain
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.named_gates import gates_of_run
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.facts.steps import Trouble
from shiftwork.domain.story.recovery.rate_limits import player
from shiftwork.domain.story.spending import allowance
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.errors import GitKilledError, RepositoryError
from shiftwork.ports.agent import AgentLimits, AgentReport, AgentTask, Ending
from shiftwork.ports.desk import Desk
from shiftwork.prompts.prompt_parts import Surroundings, compose


async def run_agent(effect: story_effects.RunAgent, recorder: StoryRecorder) -> tuple[Fact, ...]:
    """Make the attempt, unless it was begun before: then it was interrupted, and the next one starts afresh."""
    world, story = recorder.world, recorder.state
    if story.pipeline.step(effect.step).status is StepStatus.IN_PROGRESS:
        return await _interrupted(effect, recorder)
    try:
        tree, desk, letters = await asyncio.gather(
            again(lambda: world.workspaces.renew(place_of(story), story.work.head)),
            world.desks.lay(desk_of(story, effect.step, effect.attempt)),
            mailbox.unread(recorder),
        )
    except RepositoryError as error:
        return (_lost(recorder, error),)
    if letters:
        await mailbox.take_in(recorder, letters)
        return ()
    await recorder.write(f"{effect.key}/start", (_started(effect, recorder, desk),))
    failpoints.reach("attempt.started")
    step = recorder.state.pipeline.step(effect.step)
    attempt = Attempt(recorder=recorder, step=step, number=effect.attempt, desk=desk, tree=tree)
    report = _priced(attempt, await _session(attempt))
    failpoints.reach("attempt.ended")
    try:
        facts, _ = await asyncio.gather(ended(attempt, report), world.desks.clear(desk))
    except GitKilledError:
        facts = await _interrupted(effect, recorder, report.usage)
    except RepositoryError as error:
        facts = (failure(attempt, report, Trouble.CRASHED, error.message), _lost(recorder, error))
    return facts


def _started(effect: story_effects.RunAgent, recorder: StoryRecorder, desk: Desk) -> Fact:
    world, story, now = recorder.world, recorder.state, recorder.world.clock.now()
    step = story.pipeline.step(effect.step)
    agent = player(profiles.chain(world, story, step), story.rate_limit.limited, now)
    return story_facts.StepStarted(
        at=now,
        step=effect.step,
        attempt=effect.attempt,
        commit=story.work.head,
        log=str(desk.log),
        agent=agent,
        model=profiles.model(world, story, replace(step, played_by=agent)),
    )


def _lost(recorder: StoryRecorder, error: RepositoryError) -> Fact:
    return story_facts.WorkspaceLost(
        at=recorder.world.clock.now(), number=recorder.state.work.workspace, reason=error.message
    )


def _priced(attempt: Attempt, report: AgentReport) -> AgentReport:
    """An agent that tells no price has one by its tokens, where the prices of its model are known."""
    used = replace(report.usage, model=report.model)
    if used.cost_usd is None and reservations.tokens_of(used):
        cost = attempt.recorder.world.price(used.model or attempt.step.model, used)
        used = replace(used, cost_usd=cost, estimated=cost is not None)
    return replace(report, usage=used)


async def _interrupted(
    effect: story_effects.RunAgent, recorder: StoryRecorder, usage: Usage | None = None
) -> tuple[Fact, ...]:
    """Somebody died in the middle: keep what was there; the next attempt gets a workspace at another path."""
    world, story = recorder.world, recorder.state
    place = place_of(story)
    keep = world.desks.keep_path(desk_of(story, effect.step, effect.attempt), "interrupted")
    kept = False
    with contextlib.suppress(RepositoryError):  # gone already: somebody died here as well
        kept = await world.workspaces.restore(place, story.pipeline.step(effect.step).start_commit, keep)
    await world.workspaces.discard(place)
    failpoints.reach("attempt.abandoned")
    at, diff = world.clock.now(), str(keep) if kept else ""
    return (story_facts.StepInterrupted(at=at, step=effect.step, attempt=effect.attempt, diff=diff, usage=usage),)


async def _session(attempt: Attempt) -> AgentReport:
    """Brief the agent and let it work, within its limits, until it ends or the story is cancelled."""
    world, story, step = attempt.recorder.world, attempt.story, attempt.step
    conduct, desk = world.conduct, attempt.desk
    run = await present_run(world, story.given.run)
    await keep_story(world, story)
    prompt = compose(story, step, _surroundings(attempt, run))
    await world.desks.brief(desk, prompt, _task_sheet(attempt))
    given = story.given
    task = AgentTask(
        prompt=prompt,
        workdir=attempt.tree,
        home=desk.home,
        log=desk.log,
        marker=f"{given.run}/{given.story.id}/{step.id}/{attempt.number}",
        limits=AgentLimits(
            wall_seconds=step.plan.minutes * 60 * conduct.time_factor,
            silence_seconds=conduct.silence_seconds,
            output_bytes=conduct.output_bytes,
            cost_usd=allowance.cap(story, step),
        ),
        toolbox=desk.toolbox,
        env=_environment(attempt),
        model=profiles.model(world, story, step),
        readable=(desk.folder,),
        writable=(desk.outbox,),
    )
    await ensure_held(world, attempt.recorder.stream)  # nothing is paid for beside another
    return await _until_ended(attempt, task)


def _surroundings(attempt: Attempt, run: RunState) -> Surroundings:
    world, desk = attempt.recorder.world, attempt.desk
    return Surroundings(
        gates=gates_of_run(world.conduct.gates, attempt.story.given.gates, attempt.story.given.without_gates),
        tools=bool(desk.toolbox) and attempt.step.played_by not in world.conduct.toolless,
        outbox=str(desk.edit_request),
        branch=attempt.story.given.branch,
        attempt=attempt.number,
        workspace=str(attempt.tree),
        memory=run.memory,
        remaining=len(run.stories.keys() - {attempt.story.given.story.id}) - run.totals.completed - run.totals.failed,
    )


def _environment(attempt: Attempt) -> dict[str, str]:
    """What an attempt finds in its environment: what keeps two stories' test infrastructure apart among it."""
    given = attempt.story.given
    return {
        "SHIFTWORK_RUN": given.run,
        "SHIFTWORK_STORY": given.story.id,
        "SHIFTWORK_STEP": attempt.step.id,
        "SHIFTWORK_STEP_NAME": attempt.step.plan.name,
        "SHIFTWORK_STEP_TYPE": attempt.step.plan.type,
        "SHIFTWORK_ATTEMPT_NUMBER": str(attempt.number),
        "SHIFTWORK_OUTBOX": str(attempt.desk.outbox),
        **attempt.recorder.world.workspaces.variables(place_of(attempt.story)),
        # An agent that loses its own repository must not find the user's, in whose folder its workspace lies.
        "GIT_CEILING_DIRECTORIES": str(attempt.tree.parent),
    }


def _task_sheet(attempt: Attempt) -> dict[str, Any]:
    """What the agent's tools know: enough to read the task and to check an edit at once."""
    given = attempt.story.given
    return {
        "step": attempt.step.id,
        "story": to_plain(given.story),
        "requirements": list(given.requirements),
        "pipeline": to_plain(attempt.story.pipeline),
    }


async def _until_ended(attempt: Attempt, task: AgentTask) -> AgentReport:
    """Its own end goes before one that comes from outside at the same moment."""
    world, stream = attempt.recorder.world, attempt.recorder.stream
    watch = Watch(world.conduct.identical_calls, lambda event: world.observe(Sighting(stream=stream, what=event)))
    ends = [
        asyncio.ensure_future(end)
        for end in (
            world.agents[attempt.step.played_by].attempt(task, watch.hear),
            _cancel_message(attempt),
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
    """Return when somebody asks for the end of the story."""
    await mailbox.until(attempt.recorder, messages.CANCEL)
    return AgentReport(ending=Ending.CANCELLED, detail="cancelled")
