"""The loop in one process: one request, and the possible outcomes of an attempt."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.facts.steps import Trouble
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.domain.workflow.workflow import catalogue_step
from shiftwork.ports.agent import AgentEvent, AgentReport, AgentTask, Ending, EventKind, Listener
from tests.app.projects import git
from tests.app.rig import SHORT, Rig, done, honest, story_workflow


def test_a_request_becomes_one_proven_commit(git_rig: Rig) -> None:
    run = asyncio.run(git_rig.run())
    assert run.status is RunStatus.COMPLETED
    assert git_rig.log() == ["feat: Add work.txt", "start"]
    assert (git_rig.repo / "work.txt").read_text() == "work\n", "the user's clean checkout follows"
    assert git(git_rig.repo, "status", "--porcelain") == ""


def test_all_ten_steps_run_once_and_in_order(rig: Rig) -> None:
    async def scenario() -> None:
        run = await rig.run()
        started = [fact.step for fact in await rig.facts(run) if isinstance(fact, story_facts.StepStarted)]
        assert started == [f"step-{number:03d}" for number in range(1, 11)]

    asyncio.run(scenario())


def test_notes_reach_the_prompts_of_later_steps(rig: Rig) -> None:
    prompts: dict[str, str] = {}
    plan = honest(planning=[done("the plan is to write one file")])

    def script(task: AgentTask) -> Turn:
        prompts[task.env["SHIFTWORK_STEP_TYPE"]] = task.prompt
        return plan(task)

    rig.script = script
    asyncio.run(rig.run())
    assert "the plan is to write one file" in prompts["coding"]
    assert "the plan is to write one file" not in prompts["context_gathering"]
    assert "the plan is to write one file" in prompts["linting"]


def test_finished_work_leaves_no_workspace(rig: Rig) -> None:
    run = asyncio.run(rig.run())
    trees = rig.trees / run.given.run
    assert not trees.exists() or not any(trees.iterdir())


@pytest.mark.parametrize(
    ("turn", "trouble", "ended"),
    [
        (Turn(ending=Ending.CRASHED, detail="exit 3"), Trouble.CRASHED, StepStatus.FAILED),
        (Turn(ending=Ending.API_ERROR, detail="401"), Trouble.API_ERROR, StepStatus.FAILED),
        (Turn(ending=Ending.FLOODED), Trouble.FLOODED, StepStatus.FAILED),
        (Turn(ending=Ending.TIMED_OUT), Trouble.TIMED_OUT, StepStatus.CANCELLED),
        (Turn(ending=Ending.SILENT), Trouble.SILENT, StepStatus.CANCELLED),
        (Turn(answer="STATUS: done\nSTATUS: retry"), Trouble.CONTRACT, StepStatus.FAILED),
    ],
)
def test_trouble_is_retried_once_then_fails_the_story(
    rig: Rig, turn: Turn, trouble: Trouble, ended: StepStatus
) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[replace(turn, write={"half.txt": "half\n"})] * 9)
        run = await rig.run(workflow=SHORT)
        story = await rig.story(run)
        assert (run.status, story.status, story.outcome.cause) == (
            RunStatus.FAILED,
            StoryStatus.FAILED,
            FailureCause.STEP,
        )
        coding = story.pipeline.steps[0]
        assert (coding.status, coding.attempts) == (ended, 2)
        ends = [
            fact
            for fact in await rig.facts(run)
            if isinstance(fact, story_facts.StepFailed | story_facts.StepCancelled)
        ]
        assert [end.trouble for end in ends] == [trouble, trouble]
        assert all("half.txt" in Path(end.diff).read_text() for end in ends), "what was abandoned is kept"

    asyncio.run(scenario())
    assert rig.log() == ["start"]


def test_the_failure_is_reported_to_the_next_attempt_which_starts_clean(rig: Rig) -> None:
    seen: list[tuple[str, bool]] = []
    crash = Turn(ending=Ending.CRASHED, detail="segmentation fault", write={"half.txt": "half\n"})
    crash_once = honest(coding=[crash])

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] == "coding":
            seen.append((task.prompt, (task.workdir / "half.txt").exists()))
        return crash_once(task)

    rig.script = script
    run = asyncio.run(rig.run(workflow=SHORT))
    assert run.status is RunStatus.COMPLETED
    assert "segmentation fault" in seen[1][0]
    assert seen[1][1] is False


@pytest.mark.parametrize(
    ("ending", "setting"),
    [
        (Ending.SILENT, "silence_minutes"),
        (Ending.TIMED_OUT, "time_factor"),
        (Ending.FLOODED, "max_output_mib"),
    ],
)
def test_an_attempt_that_was_ended_names_the_setting_that_allows_more(rig: Rig, ending: Ending, setting: str) -> None:
    rig.script = honest(coding=[Turn(ending=ending, detail="no output for 12 s\nsome warning")] * 9)
    run = asyncio.run(rig.run(workflow=SHORT))
    hint = f"no output for 12 s; to allow more, raise {setting} under [agent] in shiftwork.toml\nsome warning"
    assert asyncio.run(rig.story(run)).outcome.reason.endswith(hint)


class Failing:
    """Prints text, and crashes without giving the reason."""

    async def attempt(self, task: AgentTask, listener: Listener) -> AgentReport:
        log = task.log.name
        listener(AgentEvent(kind=EventKind.TEXT, text=f"I cannot\nreach \x1b[31mthe model{chr(27)}[0m ({log})"))
        listener(AgentEvent(kind=EventKind.TEXT, text=" "))
        return AgentReport(ending=Ending.CRASHED, detail="ended with exit code 1")

    async def probe(self) -> str:
        return "failing"


def test_the_last_words_of_an_agent_that_failed_are_in_the_failure(rig: Rig) -> None:
    rig.agent = Failing()
    run = asyncio.run(rig.run(workflow=SHORT))
    failure = asyncio.run(rig.story(run)).outcome.reason
    assert "ended with exit code 1\nlast output: I cannot\nreach the model (" in failure


def test_an_answer_that_breaks_the_contract_is_in_the_failure(rig: Rig) -> None:
    rig.script = honest(coding=[Turn(answer="I will not do this.")] * 9)
    run = asyncio.run(rig.run(workflow=SHORT))
    assert asyncio.run(rig.story(run)).outcome.reason.endswith("\nlast output: I will not do this.")


def test_required_outputs_are_part_of_the_contract(rig: Rig) -> None:
    async def scenario() -> None:
        coding = replace(catalogue_step("coding"), output_keys=("branch_name",))
        turn = done("done\n\nBRANCH_NAME: x\nOTHER: y", write={"work.txt": "w"})
        rig.script = honest(coding=[done(), turn])
        run = await rig.run(workflow=story_workflow(coding, catalogue_step("final_review")))
        story = await rig.story(run)
        assert run.status is RunStatus.COMPLETED
        assert dict(story.dialogue.context) == {"branch_name": "x"}
        failed = [fact for fact in await rig.facts(run) if isinstance(fact, story_facts.StepFailed)]
        assert "BRANCH_NAME:" in failed[0].error

    asyncio.run(scenario())
