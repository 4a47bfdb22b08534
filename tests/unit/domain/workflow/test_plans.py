"""The plan of a run and its parts: specs, the catalogue, workflows, pipelines, usage, names."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.core import ids
from shiftwork.domain.core.ids import Commit, RunId, StoryId, step_id
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.domain.spec.spec import TITLE_LIMIT, Criterion, Story, one_shot, reworded
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.edit_request import Edit, NewStep, Operation
from shiftwork.domain.workflow.pipeline import Pipeline, StepStatus, pipeline_of
from shiftwork.domain.workflow.step_types import CATALOGUE, DYNAMIC_STEPS
from shiftwork.domain.workflow.workflow import DYNAMIC, RALPH, WORKFLOWS, StepKind, Workflow, catalogue_step
from shiftwork.testing.builders import after_steps, began, failed, fold_story, planned, started_story, workflow

# The catalogue and the default workflow ------------------------------------------------------------------------------

MINUTES = {
    "context_gathering": 15,
    "planning": 10,
    "architecture": 10,
    "test_architecture": 10,
    "coding": 30,
    "linting": 5,
    "initial_testing": 20,
    "review": 10,
    "prune_tests": 10,
    "final_review": 15,
}
MAY_EDIT = {"planning", "architecture", "test_architecture", "coding", "initial_testing", "review", "final_review"}


def test_dynamic_has_the_ten_steps_in_order_with_the_catalogues_time_limits() -> None:
    assert [(step.type, step.minutes) for step in DYNAMIC.story_steps] == list(MINUTES.items())
    assert tuple(MINUTES) == DYNAMIC_STEPS
    assert {step.kind for step in DYNAMIC.story_steps} == {StepKind.AGENT}
    assert WORKFLOWS["dynamic"] is DYNAMIC


def test_ralph_has_one_coding_step_a_story() -> None:
    assert [(step.type, step.minutes) for step in RALPH.story_steps] == [("coding", 30)]
    assert WORKFLOWS["ralph"] is RALPH


def test_the_catalogue_says_who_may_edit_who_is_mandatory_and_who_is_last() -> None:
    assert {row.name for row in CATALOGUE.values() if row.may_edit} == MAY_EDIT
    assert {row.name for row in CATALOGUE.values() if row.mandatory} == {"linting", "final_review"}
    assert {row.name for row in CATALOGUE.values() if row.last} == {"final_review"}
    assert CATALOGUE.keys() - MINUTES.keys() == {"rebase_resolve"}
    assert CATALOGUE["rebase_resolve"].minutes == 15


def test_every_row_describes_itself() -> None:
    assert all(row.description for row in CATALOGUE.values())


def test_steps_that_change_or_judge_the_work_can_prove_it() -> None:
    proving = {"coding", "initial_testing", "review", "final_review", "rebase_resolve"}
    assert {row.name for row in CATALOGUE.values() if row.proves} == proving


def test_a_step_of_the_catalogue_is_planned_as_its_row_says() -> None:
    plan = catalogue_step("linting", max_retries=3)
    assert (plan.name, plan.type, plan.minutes, plan.max_retries) == ("linting", "linting", 5, 3)
    assert plan.description == CATALOGUE["linting"].description


def test_a_storys_steps_are_the_body_of_the_loop() -> None:
    inner = (planned("coding"), planned("linting"))
    made = workflow(*inner)
    framed = Workflow(id="w", version=1, steps=(planned("plan"), *made.steps))
    assert (framed.story_steps, framed.frame) == (inner, framed.steps)
    assert made.frame == (), "a loop alone has nothing around it"


def test_without_a_loop_every_story_goes_through_all_steps() -> None:
    alone = Workflow(id="w", version=1, steps=(planned("plan"), planned("coding")))
    assert (alone.story_steps, alone.frame) == (alone.steps, ())


# Pipelines -----------------------------------------------------------------------------------------------------------


def test_a_pipeline_numbers_its_steps_from_one() -> None:
    pipeline = pipeline_of((planned("coding"), planned("mine", StepKind.GATE, output_keys=("a",), max_retries=5)))
    assert [step.id for step in pipeline.steps] == ["step-001", "step-002"]
    assert pipeline.next_number == 3
    mine = pipeline.steps[1]
    assert (mine.plan.kind, mine.plan.output_keys, mine.plan.max_retries) == (StepKind.GATE, ("a",), 5)
    assert pipeline.find(step_id(2)) == mine
    assert pipeline.find(step_id(3)) is None


def test_the_current_step_is_the_one_begun_else_the_next_to_run() -> None:
    story = after_steps(started_story("planning", "coding", "review"), 1)
    assert story.pipeline.current == story.pipeline.steps[1]
    story = fold_story(story, began(story))
    story = fold_story(story, failed(story))
    assert story.pipeline.current == story.pipeline.steps[1]
    assert story.pipeline.current.status is StepStatus.FAILED
    assert story.pipeline.pending == story.pipeline.steps[2:]
    assert Pipeline().current is None


def test_work_that_is_added_before_the_step_that_runs_does_not_displace_it() -> None:
    story = after_steps(started_story("planning", "coding"), 1)
    story = fold_story(story, began(story))
    new = NewStep(type="planning", description="more")
    edit = Edit(operation=Operation.ADD_AFTER, reason="r", target=step_id(1), steps=(new,))
    story = fold_story(story, story_facts.WorkflowEdited(at=1, by="person", edits=(edit,), before=(), after=()))
    assert [step.id for step in story.pipeline.steps] == [step_id(1), step_id(3), step_id(2)]
    current = story.pipeline.current
    assert current is not None
    assert current.id == step_id(2)


def test_a_type_of_the_workflows_own_is_neither_mandatory_nor_last_and_may_not_edit() -> None:
    (step,) = pipeline_of((planned("mine"),)).steps
    assert (step.mandatory, step.last, step.may_edit) == (False, False, False)


# Specs ---------------------------------------------------------------------------------------------------------------


def test_one_sentence_is_a_spec_of_one_story() -> None:
    spec = one_shot("  Add a health check\n\nwith a test\n")
    (story,) = spec.stories
    assert (spec.title, story.title, story.id) == ("Add a health check", "Add a health check", "US-001")
    assert story.description == spec.description == "Add a health check\n\nwith a test"
    assert [criterion.text for criterion in story.criteria] == [story.description]
    assert not story.may_be_empty


@given(st.text())
def test_the_title_of_a_sentence_is_one_short_line_that_says_something(request: str) -> None:
    title = one_shot(request).title
    assert len(title) <= TITLE_LIMIT
    assert len(title.splitlines()) <= 1
    assert bool(title) == bool(request.strip())


def test_a_long_title_is_cut_visibly() -> None:
    title = one_shot("words " * 40).title
    assert title.endswith("words words…")
    assert one_shot("x" * TITLE_LIMIT).title == "x" * TITLE_LIMIT


LONG = "words " * 40
CUT = one_shot(LONG).title


@pytest.mark.parametrize(
    ("request_", "changes", "lines"),
    [
        ("Add two", {"title": "Add five"}, ("Add five", "Add five", "Add five")),
        ("Add two\n\nwith a test", {"title": "Add five"}, ("Add five", *["Add five\n\nwith a test"] * 2)),
        (LONG, {"title": "Add five"}, ("Add five", "Add five", "Add five")),
        ("Add two", {"description": "Add more"}, ("Add two", "Add more", "Add more")),
        ("Add two", {"title": "Add five", "description": "Add more"}, ("Add five", "Add more", "Add more")),
        ("Add two", {}, ("Add two", "Add two", "Add two")),
        (LONG, {}, (CUT, LONG.strip(), LONG.strip())),
        (LONG, {"description": "Add more"}, (CUT, "Add more", "Add more")),
    ],
)
def test_what_was_said_in_one_sentence_is_changed_as_one(
    request_: str, changes: dict[str, str], lines: tuple[str, str, str]
) -> None:
    (story,) = one_shot(request_).stories
    changed = reworded(story, **changes)
    assert (changed.title, changed.description, *(criterion.text for criterion in changed.criteria)) == lines


def test_a_title_that_was_never_cut_is_followed_too() -> None:
    story = Story(id=StoryId("US-002"), title=LONG.strip(), description=LONG)
    assert reworded(story, title="Short").description == "Short"


def test_words_of_their_own_stay_under_another_title() -> None:
    own = (Criterion(id="AC-1", text="It adds"), Criterion(id="AC-2", text="Add two"))
    story = Story(id=StoryId("US-002"), title="Add two", description="Two numbers. Add two", criteria=own)
    changed = reworded(story, title="Add five")
    assert (changed.description, [criterion.text for criterion in changed.criteria]) == (
        "Two numbers. Add two",
        ["It adds", "Add five"],
    )
    assert reworded(replace(story, description=""), title="Add five").description == ""
    assert reworded(replace(story, description="", criteria=(own[0],)), description="More").criteria == (own[0],)


# Small values --------------------------------------------------------------------------------------------------------

usages = st.builds(
    Usage,
    input_tokens=st.integers(0, 9999),
    output_tokens=st.integers(0, 9999),
    cost_usd=st.none() | st.integers(0, 400).map(lambda quarters: quarters / 4),
)


@given(usages, usages, usages)
def test_usage_adds_up_in_any_order_and_nothing_adds_nothing(usage: Usage, two: Usage, three: Usage) -> None:
    assert usage + two == two + usage
    assert (usage + two) + three == usage + (two + three)
    assert usage + NOTHING_USED == usage


def test_an_unknown_cost_is_not_zero() -> None:
    assert (Usage(input_tokens=1) + Usage(input_tokens=2)).cost_usd is None
    assert (Usage(cost_usd=0.5) + Usage()).cost_usd == 0.5


@pytest.mark.parametrize(
    ("results", "passed"), [((), True), ((True,), True), ((True, False), False), ((False, True), False)]
)
def test_a_report_passes_when_every_gate_does(results: tuple[bool, ...], passed: bool) -> None:  # noqa: FBT001
    gates = tuple(GateResult(name="g", passed=result, seconds=1) for result in results)
    assert GateReport(commit=Commit("c"), results=gates).passed is passed


def test_streams_have_names_of_their_own() -> None:
    assert ids.run_stream(RunId("r")) == "run/r"
    assert ids.story_stream(RunId("r"), StoryId("US-1")) == "story/r/US-1"
    assert ids.landing_stream("repo", "feature/x") == "landing/repo/feature/x"
