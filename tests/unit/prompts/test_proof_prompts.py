"""Every step that could produce the proof a story needs to land is asked for it, before anything is refused."""

from dataclasses import replace

import pytest

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.pipeline import Step, pipeline_of
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.workflow import StepPlan, catalogue_step
from shiftwork.prompts.prompt_parts import Surroundings, compose
from shiftwork.testing.builders import assignment

ASKED = Story(
    id=StoryId("US-1"),
    title="T",
    description="D",
    criteria=(Criterion(id="AC-1", text="`hello` is printed"), Criterion(id="AC-2", text="It feels nice")),
)
OWN = StepPlan(name="build", type="build", input="Build {{current_story}}")


def prompt(plan: StepPlan, policy: ProofPolicy, story: Story = ASKED, *, tools: bool = False) -> str:
    state = StoryState(assignment=replace(assignment(story), proof=policy), pipeline=pipeline_of((plan,)))
    step: Step = state.pipeline.steps[0]
    return compose(state, step, Surroundings(tools=tools))


@pytest.mark.parametrize("policy", [ProofPolicy.CITED, ProofPolicy.STRICT])
@pytest.mark.parametrize("kind", ["coding", "initial_testing", "review", "final_review", "rebase_resolve"])
def test_steps_that_can_show_something_are_instructed_what_will_be_asked_for(kind: str, policy: ProofPolicy) -> None:
    message = prompt(catalogue_step(kind), policy)
    assert "It needs evidence for AC-1" in message
    assert "\nEVIDENCE:\n- <criterion> <kind> <reference>\n" in message


@pytest.mark.parametrize("policy", [ProofPolicy.CITED, ProofPolicy.STRICT])
def test_so_is_a_step_with_a_prompt_of_its_own(policy: ProofPolicy) -> None:
    assert "\nEVIDENCE:\n" in prompt(OWN, policy)


def test_one_with_tools_is_instructed_that_it_must_use_one() -> None:
    message = prompt(catalogue_step("coding"), ProofPolicy.STRICT, tools=True)
    assert "It needs evidence for AC-1" in message
    assert "Report it with `report_evidence`" in message
    assert "EVIDENCE:" not in message


def test_no_other_step_is_instructed_and_none_where_nothing_is_asked_for() -> None:
    others = {"context_gathering", "planning", "architecture", "test_architecture", "linting", "prune_tests"}
    assert others < CATALOGUE.keys()
    assert not [kind for kind in others if "## Proof" in prompt(catalogue_step(kind), ProofPolicy.STRICT)]
    assert "## Proof" not in prompt(catalogue_step("coding"), ProofPolicy.TRUSTING)
    assert "## Proof" not in prompt(catalogue_step("coding"), ProofPolicy.STRICT, replace(ASKED, criteria=()))


def test_evidence_is_welcome_where_none_is_required_from_agents_without_tools_too() -> None:
    assert "call `report_evidence`" in prompt(catalogue_step("coding"), ProofPolicy.TRUSTING, tools=True)
    message = prompt(catalogue_step("coding"), ProofPolicy.TRUSTING)
    assert "\n## Evidence\n" in message
    assert "\nEVIDENCE:\n- <criterion> citation <file>:<line>\n" in message
    assert "## Evidence" not in prompt(catalogue_step("planning"), ProofPolicy.TRUSTING)
    assert "EVIDENCE:" not in prompt(catalogue_step("coding"), ProofPolicy.TRUSTING, replace(ASKED, criteria=()))


def test_what_a_person_or_a_verification_step_shows_is_not_asked_of_agents() -> None:
    checked = Verification(id="VS-1", kind=VerificationKind.SHELL, command="true")
    listed = (*ASKED.criteria, Criterion(id="VS-1", text="true"))
    story = replace(ASKED, criteria=listed, verification=(checked,))
    strict = prompt(catalogue_step("coding"), ProofPolicy.STRICT, story)
    assert "It needs evidence for AC-1, of one" in strict
    assert "- `verification`, one of VS-1:" in strict
    assert "if a check prints that test's name as passed" in strict
    assert "which fails without the changes of this story" in strict
    cited = prompt(catalogue_step("coding"), ProofPolicy.CITED, story)
    assert "It needs evidence for AC-1, AC-2, of one" in cited
    assert "a test of it, which passes, and which fails without the changes of this story" in cited
