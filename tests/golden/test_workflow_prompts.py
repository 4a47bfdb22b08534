"""The prompts of the bundled workflows, as an agent gets them.

Run as a program, this file writes them again.
"""

from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import pytest

from shiftwork.bootstrap.workflows import choose
from shiftwork.domain.story.state import Dialogue, StoryState
from shiftwork.domain.workflow.pipeline import pipeline_of
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, Workflow
from shiftwork.prompts.prompt_parts import Surroundings, compose
from shiftwork.testing.builders import assignment
from tests.golden.test_prompts import ASKED

FOLDER = Path(__file__).parent / "workflow_prompts"
WORKFLOWS = ("bug-fix", "compound", "feature-dev", "plan", "relay")
NOWHERE = Path("/nonexistent")


def loaded(name: str) -> Workflow:
    return choose(name, NOWHERE, NOWHERE).workflow


def steps_of(workflow: Workflow) -> tuple[StepPlan, ...]:
    """Those that agents do, of the run and of its stories."""
    everything = (*workflow.steps, *workflow.story_steps)
    return tuple(step for step in dict.fromkeys(everything) if step.kind is StepKind.AGENT)


def prompts(name: str) -> Iterator[tuple[str, str]]:
    workflow = loaded(name)
    steps = steps_of(workflow)
    produced = tuple((key, f"(what {key} holds)") for step in steps for key in step.output_keys)
    for place, plan in enumerate(steps):
        state = StoryState(
            assignment=assignment(ASKED), pipeline=pipeline_of(steps), dialogue=Dialogue(context=produced)
        )
        around = Surroundings(tools=True, branch="main", workspace="/home/agent/parcels")
        yield f"{name}.{plan.name}", compose(state, state.pipeline.steps[place], around)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_the_prompts_are_as_they_were(name: str) -> None:
    for file, prompt in prompts(name):
        kept = (FOLDER / f"{file}.md").read_text(encoding="utf-8")
        changes = unified_diff(kept.splitlines(), prompt.splitlines(), "kept", "now", lineterm="")
        message = "run `python -m tests.golden.test_workflow_prompts` if this is meant:"
        assert prompt == kept, "\n".join((message, *changes))


def test_nothing_is_left_of_a_step_that_is_gone() -> None:
    known = {file for name in WORKFLOWS for file, _ in prompts(name)}
    assert {path.stem for path in FOLDER.glob("*.md")} == known


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_prompt_says_what_is_asked_for_and_what_is_forbidden(name: str) -> None:
    for step in steps_of(loaded(name)):
        assert "must not" in step.input or "Leave" in step.input, step.name
        assert all(f"{key.upper()}:" in step.input for key in step.output_keys), step.name


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for workflow_name in WORKFLOWS:
        for file_name, text in prompts(workflow_name):
            (FOLDER / f"{file_name}.md").write_text(text, encoding="utf-8")
