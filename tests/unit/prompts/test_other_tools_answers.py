"""Answers of planners of other tools: a plan and nothing else, or two plans; and notes for the story itself."""

from shiftwork.domain.core.ids import StepId
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.prompts.answer import contract
from shiftwork.prompts.answer.result import Result, asked_of, result
from shiftwork.testing.builders import planned

ONE = 'STORIES_JSON: [{"id": "A", "title": "One", "description": "d", "acceptanceCriteria": ["c"]}]'
TWO = ONE.replace('"A"', '"B"')
STEP = Step(id=StepId("step-001"), plan=planned("own", input="Plan it", plans=True))


def test_a_plan_alone_is_an_answer() -> None:
    said = contract.parse(f"{ONE}\n", asked_of(STEP))
    found = result(STEP, said)
    assert isinstance(found, Result)
    assert not found.unsummarised, "no session is paid for a summary of it"


def test_of_two_plans_the_first_counts() -> None:
    plan = contract.stories(f"{ONE}\nSTATUS: done\n{TWO}\n")
    assert isinstance(plan, tuple)
    assert [story.id for story in plan] == ["A"]


def test_notes_for_the_later_steps_of_a_story() -> None:
    said = contract.parse("SCRATCH:\n- half moved\n- see parse.py\nSUMMARY:\nok\n")
    assert (said.scratch, said.summary) == (("half moved", "see parse.py"), "ok")
