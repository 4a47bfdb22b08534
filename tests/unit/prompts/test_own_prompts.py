"""The prompt of a step that has its own: the names in it, the agent's role, and the expected answer."""

from dataclasses import replace
from typing import Any

from shiftwork.domain.memory.notes import Memory, Note, Shelf
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.workflow import AgentPlan, Route
from shiftwork.prompts.lengths import LIMITS, OWN, PROMPT, size
from shiftwork.prompts.prompt_parts import Surroundings, compose
from shiftwork.testing.builders import assignment, changed_step, fold_story, planned

MEMORY = Memory(progress=Shelf(notes=(Note(at=1, by="US-000", title="The first", text="- Landed"),)))
GIVEN = Surroundings(branch="main", workspace="/w", memory=MEMORY, remaining=3)

DEVELOPER = AgentPlan(id="developer", persona=(("AGENTS.md", "You write code.\n"), ("SOUL.md", "You are calm.")))


def a_story(**step: Any) -> StoryState:
    given = replace(assignment(), task="Build it all", agents=(DEVELOPER,), context=(("style", "terse"),))
    plan = planned("implement", **{"input": "Do it.", "agent": "developer", **step})
    return fold_story(StoryState(), story_facts.StoryStarted(at=0, assignment=given, steps=(plan,)))


def prompt(story: StoryState, **step: object) -> str:
    return compose(story, the_step(story, **step), GIVEN)


def the_step(story: StoryState, **changes: object) -> Step:
    return changed_step(story.pipeline.steps[0], **changes)


def test_the_names_of_the_harness_are_filled_in() -> None:
    text = (
        "{{task}}|{{run_id}}|{{repo}}|{{branch}}|{{current_story_id}}|{{ current_story_title }}|{{completed_stories}}|"
        "{{stories_remaining}}|{{style}}"
    )
    assert "Build it all|r1|/w|main|US-001|Story 1|- US-000: The first|3|terse" in prompt(a_story(input=text))


def test_the_story_comes_with_its_criteria_and_progress_as_it_is_kept() -> None:
    message = prompt(a_story(input="{{current_story}}\n=====\n{{progress}}"))
    assert "## Story US-001: Story 1\n\nDo what story 1 says" in message
    assert "- AC-1: It is done\n=====\nUS-000: The first\n> - Landed" in message


def test_what_is_not_produced_yet_is_empty() -> None:
    assert "Do it [].\n" in prompt(a_story(input="Do it [{{changes}}{{verify_feedback}}]."))


def test_a_template_never_expands_what_an_agent_has_said() -> None:
    story = replace(
        made := a_story(input="Look at {{changes}}"),
        dialogue=replace(made.dialogue, context=(("changes", "{{task}} and {{style}}"),)),
    )
    assert "Look at {{task}} and {{style}}\n" in prompt(story)


def test_the_names_of_the_harness_cannot_be_taken() -> None:
    story = replace(made := a_story(input="{{task}}"), dialogue=replace(made.dialogue, context=(("task", "{{task}}"),)))
    assert "Build it all\n" in prompt(story)


def test_the_persona_comes_first() -> None:
    message = prompt(a_story())
    assert message.startswith(
        "# Who you are\n\n## AGENTS.md\n\nYou write code.\n\n## SOUL.md\n\nYou are calm.\n\n# Your job"
    )


def test_an_agent_without_files_and_one_that_is_not_listed_have_no_persona() -> None:
    assert prompt(a_story(), agent="stranger").startswith("# Your job")
    story = a_story()
    bare = replace(story, assignment=replace(story.given, agents=(AgentPlan(id="developer"),)))
    assert prompt(bare).startswith("# Your job")


def test_a_step_of_the_catalogue_has_the_persona_of_its_agent_too() -> None:
    assert prompt(a_story(input="")).startswith("# Who you are")


def test_the_feedback_stands_where_the_prompt_wants_it_or_else_in_a_part_of_its_own() -> None:
    named = prompt(a_story(input="Issues: {{verify_feedback}}"), feedback="no tests")
    assert "Issues: no tests\n" in named
    assert "## The last attempt" not in named
    assert "## The last attempt" in prompt(a_story(), feedback="no tests")


def test_what_is_asked_of_the_step_in_particular_is_added() -> None:
    assert "Do it.\n\nAsked of this step in particular:\n\nMind the gap" in prompt(
        a_story(), description="Mind the gap"
    )


def test_the_answer_is_described_by_what_is_expected() -> None:
    message = prompt(a_story(expects="STATUS: done\nCHANGES: what you did"))
    assert "The answer must contain:\n\nSTATUS: done\nCHANGES: what you did\n" in message
    assert "STATUS: blocked" in message
    assert "The answer must contain" not in prompt(a_story())


def test_the_prompt_names_decisions_and_the_keys_that_are_kept() -> None:
    routes = (Route(value="approved"), Route(value="rejected", target="implement", back=True))
    message = prompt(a_story(decision_key="DECISION", routes=routes, output_keys=("issues",)))
    assert "- `DECISION: <one of approved, rejected>` is needed: it decides what comes next.\n" in message
    assert "- Only these keys are kept: ISSUES.\n" in message


def test_a_step_of_the_catalogue_is_asked_for_its_decision() -> None:
    routes = (Route(value="yes"), Route(value="no"))
    message = prompt(a_story(input="", decision_key="OK", routes=routes, output_keys=("ok", "why")))
    assert "\nOK: <one of yes, no>\nWHY: <value>\nSUMMARY:" in message


def test_what_a_person_has_decided_holds_for_every_later_step() -> None:
    story = replace(made := a_story(), dialogue=replace(made.dialogue, answers=(("Tabs or\nblanks?", "tabs"),)))
    for kind in ("Do it.", ""):
        message = prompt(story, input=kind)
        assert "## Decided by a person\n" in message
        assert "> Tabs or\n> blanks?\n\nAnswer: tabs\n" in message


def test_an_own_prompt_keeps_to_its_limits() -> None:
    story = replace(
        made := a_story(input="{{changes}}" * 10),
        dialogue=replace(made.dialogue, context=(("changes", "x" * 100_000),)),
    )
    filled = the_step(story, description="y" * 100_000, feedback="z" * 100_000, expects="e" * 100_000)
    assert size(compose(story, filled, GIVEN)) < PROMPT
    parts = ("story", "instructions", "requirements", "criteria", "notes", "scratch", "project", "patterns", "progress")
    assert OWN["input"] + OWN["expects"] < sum(LIMITS[part] for part in parts)
