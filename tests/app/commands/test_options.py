"""What a run keeps when it is resumed, and which settings are in force then."""

import asyncio
import json
from dataclasses import replace

import pytest

from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.app.commands.kept_options import Difference, check_profiles, differences
from shiftwork.app.commands.runs import Order, cancel_run, change_options, start_run
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import RunId
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.workflow.workflow import AgentPlan, catalogue_step
from shiftwork.errors import ProfileGoneError
from shiftwork.ports.agent import AgentTask
from shiftwork.ports.views import RunRow
from shiftwork.testing.builders import run_plan
from tests.app.rig import LANDING, SHORT, Rig, done, honest, story_workflow

ORDER = Order(spec=one_shot("Add work.txt"), workflow=SHORT, branch="main", landing=LANDING, agent="scripted")
KEPT = replace(
    ORDER, model="cheap", trusted=("digest",), settings=(("agent.model", '"dear"'),), parallel=2, agent="scripted"
)


async def begun(rig: Rig, order: Order) -> RunId:
    """A run whose process is gone before anything was done."""
    async with rig.open() as context:
        return await start_run(context, order)


def test_what_was_ordered_is_part_of_the_history(rig: Rig) -> None:
    async def scenario() -> None:
        run = await begun(rig, KEPT)
        (started, *_) = await rig.facts(run, "")
        assert isinstance(started, run_facts.RunStarted)
        plan = started.plan
        assert (plan.model, plan.trusted, plan.settings) == (KEPT.model, KEPT.trusted, KEPT.settings)
        (row,) = await rig.store.queries.runs()
        assert json.loads(row.options)["model"] == "cheap"
        await change_options(rig.store.inbox, run, "1", run_facts.OptionsChanged(at=0, model="dear", parallel=1))
        state = await rig.carried_on(run)
        assert (state.given.model, state.given.parallel, state.given.trusted) == ("dear", 1, ("digest",))
        after = await rig.store.queries.run(run)
        assert isinstance(after, RunRow)
        assert json.loads(after.options)["model"] == "dear"

    asyncio.run(scenario())


def test_the_users_values_reach_the_prompts_of_a_resumed_run(rig: Rig) -> None:
    async def scenario() -> None:
        own = replace(catalogue_step("coding"), input="Work on {{issue}} in {{place}}")
        workflow = replace(
            story_workflow(catalogue_step("planning"), own), context=(("issue", "none"), ("place", "src"))
        )
        run = await begun(rig, replace(ORDER, workflow=workflow, context=(("issue", "12"), ("why", "slow"))))
        prompts: list[str] = []

        def noted(task: AgentTask) -> Turn:
            prompts.append(task.prompt)
            return done(write={"work.txt": "w"})

        rig.script = noted
        state = await rig.carried_on(run)
        assert (state.status, state.given.context) == (RunStatus.COMPLETED, (("issue", "12"), ("why", "slow")))
        planning, coding = prompts
        assert "- issue: 12\n- why: slow\n" in planning
        assert "Work on 12 in src" in coding
        (row,) = await rig.store.queries.runs()
        assert json.loads(row.options)["context"] == {"issue": "12", "why": "slow"}

    asyncio.run(scenario())


def test_the_agent_that_is_named_later_does_the_rest_of_a_story_that_has_begun(rig: Rig) -> None:
    """Which was given the one before."""

    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=600)])
        async with rig.open() as context:
            run = await start_run(context, ORDER)
            await rig.at_work()
        rig.others, rig.own = {"other": ScriptedAgent(honest())}, "other"
        await change_options(rig.store.inbox, run, "1", run_facts.OptionsChanged(at=0, agent="other"))
        assert (await rig.carried_on(run)).given.agent == "other"
        agents = [fact.agent for fact in await rig.facts(run) if isinstance(fact, story_facts.StepStarted)]
        assert agents == ["scripted", "other", "other"]

    asyncio.run(scenario())


# Profiles that are gone ----------------------------------------------------------------------------------------------


PROFILED = replace(SHORT, agents=(AgentPlan(id="coder", profile="gone"),))


def test_a_run_whose_profile_is_gone_is_not_taken_up_but_can_be_cancelled(rig: Rig) -> None:
    async def scenario() -> None:
        run = await begun(rig, replace(ORDER, workflow=PROFILED))
        version = len(await rig.facts(run, ""))
        with pytest.raises(ProfileGoneError, match="needs the profile 'gone'"):
            await rig.carried_on(run)
        assert len(await rig.facts(run, "")) == version
        await cancel_run(rig.store.inbox, run)
        assert (await rig.carried_on(run)).status is RunStatus.CANCELLED

    asyncio.run(scenario())


def test_an_agent_that_is_gone_is_refused_with_the_one_to_type_instead() -> None:
    with pytest.raises(ProfileGoneError) as refused:
        check_profiles(run_plan(), {"codex"}, "codex")
    assert refused.value.hint == "shiftwork resume r1 --agent codex"
    assert refused.value.exit_code == 64
    profiled = run_plan(steps=PROFILED)
    check_profiles(profiled, {"scripted", "gone"})


# Settings that differ ------------------------------------------------------------------------------------------------


USUAL = {"agent.model": '""', "run.parallel": "3", "landing.batch": "16", "landing.review": "false"}


def test_what_the_run_keeps_stays_in_force_and_the_rest_is_the_files() -> None:
    then = (("agent.model", '"cheap"'), ("gates.old", '"x"'))
    plan = replace(run_plan(parallel=2), model="cheap", settings=then, named=("model", "parallel"))
    now = {"agent.model": '"dear"', "landing.batch": "4", "landing.review": "true", "run.parallel": "9"}
    assert differences(plan, now, USUAL) == (
        Difference(
            setting="agent.model", before='"cheap"', after='"dear"', in_force='"cheap"', kept=True, option="--model"
        ),
        Difference(setting="gates.old", before='"x"', after="none", in_force="none", kept=False),
        Difference(setting="landing.batch", before="16", after="4", in_force="4", kept=False),
        Difference(setting="landing.review", before="false", after="true", in_force="false", kept=True),
        Difference(setting="run.parallel", before="3", after="9", in_force="2", kept=True, option="--parallel"),
    )


def test_nothing_differs_where_nothing_was_changed() -> None:
    plan = replace(run_plan(limits=Limits(repairs=1)), settings=(("limits.repairs", "1"),))
    assert differences(plan, {"limits.repairs": "1"}, USUAL) == ()
