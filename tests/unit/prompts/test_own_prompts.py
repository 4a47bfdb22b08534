"""The prompt of a step that has its own: the names in it, the agent's role, and the expected answer."""

from dataclasses import replace
from typing import Any

import pytest

from shiftwork.domain.core.ids import FRAME, step_id
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.memory.notes import Memory, Note, Shelf
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.pipeline import Pipeline, Step, StepStatus, pipeline_of
from shiftwork.domain.workflow.workflow import AgentPlan, Route, StepPlan
from shiftwork.prompts.lengths import FIXED, LIMITS, OWN, PROMPT, quoted, size
from shiftwork.prompts.notebook import progress_text
from shiftwork.prompts.prompt_parts import Surroundings, compose
from shiftwork.testing.builders import assignment, changed_step, fold_story, planned, run_plan

MEMORY = Memory(progress=Shelf(notes=(Note(at=1, by="US-000", title="The first", text="- Landed"),)))
GIVEN = Surroundings(branch="main", workspace="/w", memory=MEMORY, remaining=3)

DEVELOPER = AgentPlan(id="developer", persona=(("AGENTS.md", "You write code.\n"), ("SOUL.md", "You are calm.")))


def shelf(*texts: str) -> Shelf:
    return Shelf(notes=tuple(Note(at=1, by="", text=text) for text in texts))


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


@pytest.mark.parametrize(("frontend", "shown"), [(True, "[true]"), (False, "[false]")])
def test_whether_the_user_interface_changed_is_said_by_the_harness_alone(*, frontend: bool, shown: str) -> None:
    story = a_story(input="[{{has_frontend_changes}}]")
    claiming = replace(story, dialogue=replace(story.dialogue, context=(("has_frontend_changes", "maybe"),)))
    assert shown in compose(claiming, the_step(claiming), replace(GIVEN, frontend=frontend))


def test_commands_are_the_gates_until_a_step_has_found_others() -> None:
    story = a_story(input="[{{test_cmd}}|{{lint_cmd}}|{{build_cmd}}]")
    given = replace(GIVEN, gates=(Gate(name="Test", command="make test"), Gate(name="lint", command="make lint")))
    assert "[make test|make lint|]" in compose(story, the_step(story), given)
    found = replace(story, dialogue=replace(story.dialogue, context=(("test_cmd", "tox"), ("build_cmd", "make"))))
    assert "[tox|make lint|make]" in compose(found, the_step(found), given)


def test_the_story_comes_with_its_criteria_once() -> None:
    for text in ("{{current_story}}\n=====", "====="):
        message = prompt(a_story(input=text))
        assert message.count("## Story US-001: Story 1\n\nDo what story 1 says") == 1
        assert message.count("- AC-1: It is done\n") == 1
    assert "- AC-1: It is done\n=====" in prompt(a_story(input="{{current_story}}\n====="))


def test_the_task_is_the_story_of_a_step_that_plans_and_of_the_run_itself() -> None:
    planning = a_story(input="Plan {{task}}", plans=True)
    assert "## Story" not in prompt(planning)
    assert "## Story" in prompt(a_story(input="Plan it", plans=True))
    story = a_story(input="Test {{task}}")
    assert "## Story" in prompt(story)
    of_run = replace(story, assignment=replace(story.given, story=replace(story.given.story, id=FRAME)))
    assert "## Story" not in prompt(of_run)


def test_progress_is_the_progress_file_quoted_with_its_patterns_first() -> None:
    memory = replace(MEMORY, patterns=shelf("Money is in cents\n## Your answer", "Days are dates"))
    given = replace(GIVEN, memory=memory, feature="Work", started_at=60.0)
    story = a_story(input="{{progress}}\n=====")
    plan = run_plan()
    run = RunState(plan=replace(plan, run=story.given.run), memory=memory, started_at=60.0)
    file = progress_text(run)
    assert file.startswith(
        "# Progress Log\nRun: r1\nTask: Work\nStarted: 1970-01-01 00:01:00 UTC\n\n## Codebase Patterns"
    )
    message = compose(story, the_step(story), given)
    assert f"{quoted(file)}\n=====" in message
    assert message.count("Money is in cents") == message.count("- Landed") == 1


def test_progress_says_so_where_nothing_is_known_yet() -> None:
    bare = replace(GIVEN, memory=Memory())
    story = a_story(input="{{progress}}")
    assert "> ## Codebase Patterns\n> (none yet)\n" in compose(story, the_step(story), bare)


def test_a_long_progress_keeps_its_patterns_and_the_newest_story_and_marks_every_line() -> None:
    notes = tuple(Note(at=1, by=f"US-{n}", title="t", text="- " + "x\n" * 900) for n in range(30))
    memory = Memory(patterns=shelf(*("p\n" * 400 + str(n) for n in range(30))), progress=Shelf(notes=notes))
    story = a_story(input="{{progress}}")
    message = compose(story, the_step(story), replace(GIVEN, memory=memory))
    value = message.partition("undone\n\n")[2].partition("\n\n##")[0]
    assert size(value) <= LIMITS["patterns"] + LIMITS["progress"]
    assert all(line.startswith(">") for line in value.splitlines())
    assert "US-29: t" in value


MEMORY_OF_ALL = Memory(
    project=Shelf(notes=(Note(at=1, by="US-000", text="a learning"),)),
    patterns=Shelf(notes=(Note(at=1, by="", text="a pattern"),)),
    progress=MEMORY.progress,
)


def remembering(text: str, **context: str) -> str:
    """The prompt of the second step of a story that knows something of every kind."""
    first = StepPlan(name="first", type="first")
    made = a_story(input=text)
    steps = (*pipeline_of((first,)).steps, replace(the_step(made), id=step_id(2)))
    done = replace(steps[0], status=StepStatus.COMPLETED, notes="a note")
    story = replace(
        made,
        pipeline=Pipeline(steps=(done, steps[1])),
        dialogue=replace(made.dialogue, notes=shelf("a scratch note"), context=tuple(context.items())),
    )
    gates = (Gate(name="test", command="a check"),)
    return compose(story, steps[1], replace(GIVEN, memory=MEMORY_OF_ALL, gates=gates))


KNOWN = {
    "notes": "> a note",
    "scratch": "> a scratch note",
    "learnings": "> a learning",
    "patterns": "> - a pattern",
    "checks": "- test: `a check`",
}


def test_a_prompt_that_places_nothing_has_everything_once() -> None:
    message = remembering("Do it.")
    assert {name: message.count(text) for name, text in KNOWN.items()} == dict.fromkeys(KNOWN, 1)


@pytest.mark.parametrize("name", KNOWN)
def test_what_a_prompt_places_itself_is_shown_only_there(name: str) -> None:
    message = remembering(f"=====\n{{{{{name}}}}}\n=====")
    assert KNOWN[name] in message.split("=====")[1]
    assert {key: message.count(text) for key, text in KNOWN.items()} == dict.fromkeys(KNOWN, 1)


@pytest.mark.parametrize("name", KNOWN)
def test_a_key_of_the_workflow_with_the_name_of_a_part_keeps_its_value(name: str) -> None:
    message = remembering(f"<{{{{{name}}}}}>", **{name: "what a step said"})
    assert "<what a step said>" in message
    assert message.count(KNOWN[name]) == 1


def test_an_own_prompt_that_is_cut_leaves_no_line_of_a_quotation_unmarked() -> None:
    message = remembering("{{notes}}\n" * 4_000)
    filled = message.partition("undone\n\n")[2].partition("\n\n##")[0]
    assert "characters left out here" in filled
    notes = [line for line in filled.splitlines() if "a note" in line]
    assert all(line.startswith("> ") for line in notes)


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


def test_the_persona_comes_right_before_the_step() -> None:
    message = prompt(a_story())
    assert "# Who you are\n\n## AGENTS.md\n\nYou write code.\n\n## SOUL.md\n\nYou are calm.\n\n## This step" in message


def test_an_agent_without_files_and_one_that_is_not_listed_have_no_persona() -> None:
    assert "# Who you are" not in prompt(a_story(), agent="stranger")
    story = a_story()
    bare = replace(story, assignment=replace(story.given, agents=(AgentPlan(id="developer"),)))
    assert "# Who you are" not in prompt(bare)


def test_a_step_of_the_catalogue_has_the_persona_of_its_agent_too() -> None:
    assert "# Who you are\n\n## AGENTS.md" in prompt(a_story(input=""))


def test_the_feedback_stands_where_the_prompt_wants_it_or_else_in_a_part_of_its_own() -> None:
    named = prompt(a_story(input="Issues: {{verify_feedback}}"), feedback="no tests")
    assert "Issues: no tests\n" in named
    assert "## The last attempt" not in named
    assert prompt(a_story(input="Issues: {{retry_feedback}}"), feedback="no tests") == named
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
    assert sum(LIMITS.values()) + OWN["input"] + OWN["expects"] + FIXED < PROMPT
