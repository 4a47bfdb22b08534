"""The whole prompt of every type of step, as an agent gets it: a change to a prompt shows up in review.

Run as a program, this file writes the golden prompts again.
"""

from dataclasses import replace
from difflib import unified_diff
from pathlib import Path

import pytest

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import RunId, StoryId, Stream
from shiftwork.domain.core.refusal import Refusal, RefusalText
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.memory.notes import Memory, Note, Scope, Shelf
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.story.state import Dialogue, Landing, Refused, StoryState
from shiftwork.domain.workflow.pipeline import Pipeline, StepStatus, pipeline_of
from shiftwork.domain.workflow.step_types import CATALOGUE, DYNAMIC_STEPS
from shiftwork.domain.workflow.workflow import AgentPlan, Route, StepPlan, catalogue_step
from shiftwork.prompts.prompt_parts import Surroundings, compose
from shiftwork.testing.builders import changed_step

FOLDER = Path(__file__).parent / "prompts"
KINDS = (*CATALOGUE, "custom", "own")
OWN = {
    "input": "Translate {{current_story_id}} ({{stories_remaining}} to go).\n\nISSUES:\n{{verify_feedback}}",
    "expects": "STATUS: done\nTEXTS: which ones",
    "agent": "translator",
    "decision_key": "DECISION",
    "routes": (Route(value="good"), Route(value="again", target="step-005", back=True)),
    "output_keys": ("texts",),
    "feedback": "ISSUES: {{task}} is not translated",
}
TRANSLATOR = AgentPlan(id="translator", persona=(("SOUL.md", "You love words."),))

PROOF = {"own": ProofPolicy.STRICT, "review": ProofPolicy.STRICT, "final_review": ProofPolicy.CITED}

ASKED = Story(
    id=StoryId("US-003"),
    title="Show when a parcel will arrive",
    description="A customer who opens a parcel's page sees the day on which it is expected.",
    criteria=(
        Criterion(id="AC-1", text="The page shows the expected day of a parcel on its way."),
        Criterion(id="AC-2", text="A parcel that has arrived shows the day of its arrival instead."),
    ),
)
MEMORY = Memory(
    project=Shelf(
        notes=(
            Note(at=1, by="US-002", text="The courier's sandbox answers only on weekdays.", scope=Scope.PROJECT),
            Note(at=2, by="US-003", text="This story wrote it: not to be shown twice.", scope=Scope.PROJECT),
        ),
        left_out=2,
    ),
    patterns=Shelf(notes=(Note(at=1, by="", text="Days are `date`, never text.", scope=Scope.PATTERN),)),
    progress=Shelf(
        notes=(Note(at=1, by="US-001", title="Ask the courier", text="- Landed as 1a2b3c4d5e6f\n- coding: a client"),)
    ),
)
PLANS = tuple(
    StepPlan(name="translate", type="translate", description="Translate the new texts.")
    if name == "custom"
    else catalogue_step(name)
    for name in (*DYNAMIC_STEPS[:-1], "custom", "rebase_resolve", DYNAMIC_STEPS[-1])
)


def prompt_of(kind: str) -> str:
    """The prompt of the step in a story whose earlier steps are all done."""
    steps = pipeline_of(PLANS).steps
    place = next(
        n for n, step in enumerate(steps) if step.plan.type == ("translate" if kind in {"custom", "own"} else kind)
    )
    done = [
        replace(step, status=StepStatus.COMPLETED, notes=f"What {step.plan.type} found.\nIn two lines.")
        for step in steps[:place]
    ]
    own = replace(steps[place], status=StepStatus.IN_PROGRESS)
    if kind == "own":
        own = changed_step(own, **OWN)
    if kind == "planning":
        own = replace(own, plan=replace(own.plan, output_keys=("approach",)), feedback="Your answer had no SUMMARY.")
    conflict = Refused(cause=Refusal.CONFLICT, text=RefusalText(), files=("src/parcel.py", "tests/test_parcel.py"))
    state = StoryState(
        assignment=Assignment(
            run=RunId("run-1"),
            story=ASKED,
            position=2,
            requirements=("Dates are shown in the customer's time zone.",),
            branch="main",
            landing=Stream("landing/main"),
            agent="scripted",
            limits=Limits(),
            agents=(TRANSLATOR,),
            proof=PROOF.get(kind, ProofPolicy.TRUSTING),
        ),
        dialogue=Dialogue(
            answers=(("Which languages?", "All of them."),) if kind in {"own", "review"} else (),
            notes=Shelf(notes=(Note(at=1, by="step-001", text="The courier's API gives days without a year."),)),
            messages=("Your workflow edit was rejected: linting is mandatory and cannot be skipped",)
            if kind == "coding"
            else (),
        ),
        pipeline=Pipeline(steps=(*done, own, *steps[place + 1 :]), next_number=len(steps) + 1),
        landing=Landing(refused=conflict if kind == "rebase_resolve" else None),
    )
    around = Surroundings(
        gates=(Gate(name="lint", command="make lint"), Gate(name="test", command="make test")),
        tools=kind != "review",
        output_folder="/home/agent/edits.json",
        branch="main",
        workspace="/home/agent/parcels",
        memory=MEMORY,
        remaining=2,
    )
    return compose(state, own, around)


@pytest.mark.parametrize("kind", KINDS)
def test_the_prompt_is_as_it_was(kind: str) -> None:
    prompt = prompt_of(kind)
    kept = (FOLDER / f"{kind}.md").read_text(encoding="utf-8")
    changes = unified_diff(kept.splitlines(), prompt.splitlines(), "kept", "now", lineterm="")

    assert prompt == kept, "\n".join(("run `python tests/golden/test_prompts.py` if this is meant:", *changes))


def test_no_golden_prompt_is_left_of_a_type_that_is_gone() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(KINDS)


if __name__ == "__main__":
    for name in KINDS:
        (FOLDER / f"{name}.md").write_text(prompt_of(name), encoding="utf-8")
