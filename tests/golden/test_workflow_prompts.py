"""The prompts of all bundled workflows, as an agent gets them in the middle of a run.

Run as a program, this file writes them again.
"""

from collections.abc import Iterator
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path

import pytest

from shiftwork.bootstrap.workflows import choose
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.memory.notes import Note, Scope, Shelf
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.domain.story.state import Dialogue, StoryState
from shiftwork.domain.workflow.pipeline import Pipeline, StepStatus, pipeline_of
from shiftwork.domain.workflow.workflow import WORKFLOWS, StepKind, StepPlan, Workflow
from shiftwork.prompts.prompt_parts import Surroundings, compose
from shiftwork.testing.builders import assignment
from tests.golden.test_prompts import ASKED, MEMORY

FOLDER = Path(__file__).parent / "workflow_prompts"
NAMES = (*WORKFLOWS, "bug-fix", "compound", "feature-dev", "plan", "relay")
NOWHERE = Path("/nonexistent")
TASK = "Show customers where their parcels are."
SCRATCH = Shelf(notes=(Note(at=1, by="step-001", text="The courier gives days without a year.", scope=Scope.STORY),))
EARLIER = StepPlan(name="look", type="look")
"""A step before all others, so that even the first step of a workflow has one before it."""

GIVEN = Surroundings(
    gates=(Gate(name="lint", command="make lint"), Gate(name="test", command="make test")),
    tools=True,
    branch="main",
    workspace="/home/agent/work",
    project="parcels",
    feature="Track a parcel",
    memory=MEMORY,
    remaining=2,
)


def loaded(name: str) -> Workflow:
    return choose(name, NOWHERE, NOWHERE).workflow


def groups(workflow: Workflow) -> tuple[tuple[Story, tuple[StepPlan, ...]], ...]:
    """The steps that agents perform, for the run itself and for a story of it."""
    frame = Story(id=FRAME, title=workflow.name, description=TASK, criteria=(Criterion(id="AC-1", text=TASK),))
    return tuple(
        (story, tuple(step for step in steps if step.kind is StepKind.AGENT))
        for story, steps in ((frame, workflow.frame), (ASKED, workflow.story_steps))
    )


def steps_of(workflow: Workflow) -> tuple[StepPlan, ...]:
    return tuple(step for _, steps in groups(workflow) for step in steps)


def prompts(name: str, given: Surroundings = GIVEN) -> Iterator[tuple[str, str]]:
    """The prompt of every step, by the names of the workflow and the step; all steps before it are done."""
    workflow = loaded(name)
    produced = tuple((key, f"(what {key} holds)") for step in steps_of(workflow) for key in step.output_keys)
    for story, plans in groups(workflow):
        steps = pipeline_of((EARLIER, *plans)).steps
        for place, step in enumerate(steps[1:], start=1):
            done = [
                replace(other, status=StepStatus.COMPLETED, notes=f"What {other.plan.name} found.")
                for other in steps[:place]
            ]
            now = replace(step, status=StepStatus.IN_PROGRESS)
            state = StoryState(
                assignment=replace(assignment(story), task=TASK, agents=workflow.agents),
                pipeline=Pipeline(steps=(*done, now, *steps[place + 1 :])),
                dialogue=Dialogue(context=produced, notes=SCRATCH),
            )
            yield f"{name}.{step.plan.name}", compose(state, now, given)


@pytest.mark.parametrize("name", NAMES)
def test_the_prompts_are_as_they_were(name: str) -> None:
    for file, prompt in prompts(name):
        kept = (FOLDER / f"{file}.md").read_text(encoding="utf-8")
        changes = unified_diff(kept.splitlines(), prompt.splitlines(), "kept", "now", lineterm="")
        message = "run `python -m tests.golden.test_workflow_prompts` if this is meant:"
        assert prompt == kept, "\n".join((message, *changes))


def test_nothing_is_left_of_a_step_that_is_gone() -> None:
    known = {file for name in NAMES for file, _ in prompts(name)}
    assert {path.stem for path in FOLDER.glob("*.md")} == known


def test_every_bundled_workflow_is_here() -> None:
    files = {path.stem for path in (Path(__file__).parents[2] / "src/shiftwork/workflows").glob("*.yml")}
    assert set(NAMES) == files | WORKFLOWS.keys()


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_says_what_is_asked_for_and_what_is_forbidden(name: str) -> None:
    for step in steps_of(loaded(name)):
        if step.input:
            assert "must not" in step.input or "Leave" in step.input, step.name
        assert all(f"{key.upper()}:" in step.input for key in step.output_keys), step.name


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_of_a_bundled_workflow_has_a_short_persona_in_its_prompts(name: str) -> None:
    workflow = loaded(name)
    texts = {agent.id: text.strip() for agent in workflow.agents for _, text in agent.persona}
    assert texts.keys() == {agent.id for agent in workflow.agents}
    assert all(len(text) <= 200 and "\n" not in text for text in texts.values())
    found = dict(prompts(name))
    for step in steps_of(workflow):
        assert found[f"{name}.{step.name}"].count(texts.get(step.agent, "# Who you are")) == bool(step.agent)


@pytest.mark.parametrize("tools", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_holds_the_memory_the_checks_and_the_names(name: str, *, tools: bool) -> None:
    held = {
        "the note of an earlier step": "> What look found.",
        "scratch": "> The courier gives days without a year.",
        "a learning": "> The courier's sandbox answers only on weekdays.",
        "a pattern": "> - Days are `date`, never text.",
        "what has landed": "> - Landed as 1a2b3c4d5e6f",
        "a check": "- lint: `make lint`",
        "the project": "- Project: parcels\n",
        "the feature": "- Feature: Track a parcel\n",
    }
    found = dict(prompts(name, replace(GIVEN, tools=tools)))
    assert found
    for step, prompt in found.items():
        assert {what: prompt.count(text) for what, text in held.items()} == dict.fromkeys(held, 1), step


@pytest.mark.parametrize("name", NAMES)
def test_the_prompts_of_a_story_begin_with_the_same_text(name: str) -> None:
    """Up to the notes of its steps, so that an agent's cache can serve it."""
    found = dict(prompts(name))
    for _, steps in groups(loaded(name)):
        begun = {found[f"{name}.{step.name}"].partition("## Notes of earlier steps")[0] for step in steps}
        assert len(begun) == bool(steps)
        assert all("## Checks" in text and "## Codebase patterns" in text for text in begun)


def test_a_story_of_a_single_session_reads_of_no_plan_and_no_other_steps() -> None:
    (prompt,) = dict(prompts("ralph")).values()
    for text in ("the plan", "test plan", "design", "edit_workflow", "Remaining steps", "add a step"):
        assert text not in prompt


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for workflow_name in NAMES:
        for file_name, text in prompts(workflow_name):
            (FOLDER / f"{file_name}.md").write_text(text, encoding="utf-8")
