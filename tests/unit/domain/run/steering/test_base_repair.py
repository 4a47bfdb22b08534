"""A red base that is repaired first: the repair story, and the stories that wait for it."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.state import RunPlan, RunState, RunStatus
from shiftwork.domain.run.steering.base_repair import OUTPUT_LIMIT, led, with_repair
from shiftwork.domain.spec.spec import TITLE_LIMIT, Spec, Story
from shiftwork.domain.story.state import StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.domain.workflow.workflow import StepPlan, Workflow
from shiftwork.testing.builders import asked, fold_run, kept, planned, run_plan, story_id, workflow

GATES = (
    Gate(name="lint", command="make lint"),
    Gate(name="test", command="make test", minutes=2),
    Gate(name="types", command="make types"),
)


def report(*failed: str, output: str = "it is broken") -> GateReport:
    results = (GateResult(name=gate.name, passed=gate.name not in failed, seconds=1, output=output) for gate in GATES)
    return GateReport(commit=Commit("c"), results=tuple(results))


def spec(*stories: Story) -> Spec:
    return Spec(title="Work", description="What there is to do", stories=stories or (asked(1), asked(2, after=(1,))))


def repaired(*failed: str, of: Spec | None = None) -> tuple[Spec, Story]:
    changed, name = with_repair(of or spec(), report(*failed), GATES, "main")
    assert changed.stories[0].id == name
    return changed, changed.stories[0]


def test_the_story_names_the_gate_says_what_it_printed_and_is_proved_by_it() -> None:
    _, story = repaired("test")
    assert (story.id, story.title) == ("BASE-1", "Make the gate test green on main")
    assert story.description.endswith("gate test:\nit is broken")
    assert [criterion.text for criterion in story.criteria] == ["The gate test passes: make test"]
    assert [(verification.id, verification.command, verification.seconds) for verification in story.verification] == [
        ("AC-1", "make test", 120)
    ]
    assert story.may_be_empty, "the user may have repaired it meanwhile"
    assert story.allowed == (), "it may not change the tests that judge it"


def test_several_gates_are_one_story() -> None:
    _, story = repaired("lint", "types")
    assert story.title == "Make the gates lint, types green on main"
    assert [criterion.text for criterion in story.criteria] == [
        "The gate lint passes: make lint",
        "The gate types passes: make types",
    ]
    assert "gate lint:\n" in story.description
    assert "gate types:\n" in story.description
    assert "gate test:" not in story.description, "that one is green"


def test_every_other_story_depends_on_it() -> None:
    changed, _ = repaired("test")
    assert [story.depends_on for story in changed.stories] == [(), ("BASE-1",), ("US-001", "BASE-1")]
    assert spec().stories[0].depends_on == (), "what was read stays as it is"


def test_its_id_is_one_that_no_other_has() -> None:
    taken = replace(asked(1), id=StoryId("BASE-1"))
    _, story = repaired("test", of=spec(taken))
    assert story.id == "BASE-2"


def test_long_names_and_long_outputs_are_bounded() -> None:
    gate = Gate(name="a" * 100, command="x")
    gate_report = GateReport(
        commit=Commit("c"), results=(GateResult(name=gate.name, passed=False, seconds=1, output="x\n" * 50_000),)
    )
    changed, _ = with_repair(spec(), gate_report, (gate,), "main")
    assert changed.stories[0].title == "Make 1 red gate green"
    assert len(changed.stories[0].title) <= TITLE_LIMIT
    assert len(changed.stories[0].description) < OUTPUT_LIMIT + 1000


def test_a_gate_that_failed_twice_is_named_once() -> None:
    both = replace(report("lint"), results=report("lint").results + report("lint").results)
    assert both.red == ("lint",)


@given(st.lists(st.tuples(st.integers(0, 6), st.sets(st.integers(0, 6))), max_size=6, unique_by=lambda item: item[0]))
def test_leading_twice_changes_nothing_and_loses_no_story(drawn: list[tuple[int, set[int]]]) -> None:
    first = replace(asked(), id=StoryId("BASE-1"))
    stories = tuple(asked(number, after=tuple(sorted(after))) for number, after in drawn)
    once = led(stories, first)
    assert led(once, first) == once
    assert [story.id for story in once] == ["BASE-1", *(story.id for story in stories)]
    assert all("BASE-1" in story.depends_on for story in once[1:])
    assert all(set(before.depends_on) <= set(after.depends_on) for before, after in zip(stories, once[1:], strict=True))


# In a run ---------------------------------------------------------------------------------------------------------


FRAMED = Workflow(
    id="framed", version=1, steps=(StepPlan(name="plan", type="plan"), *workflow(planned("coding")).steps)
)


def begun(steps: Workflow | None = None) -> RunState:
    changed, story = repaired("test")
    plan: RunPlan = replace(run_plan(steps=steps or workflow(planned("coding"))), spec=changed, base_story=story.id)
    return kept(fold_run(RunState(), run_facts.RunStarted(at=1, plan=plan)))


def dispatched(run: RunState) -> list[str]:
    return [
        str(effect.assignment.story.id) for effect in decide_run(run) if isinstance(effect, run_effects.DispatchStory)
    ]


def ended(run: RunState, story: str, status: StoryStatus) -> RunState:
    began = run_facts.StoryDispatched(at=2, story=StoryId(story))
    over = run_facts.StoryEnded(
        at=3, story=StoryId(story), status=status, commit=Commit("c"), reason="", cause=None, usage=NOTHING_USED
    )
    return kept(fold_run(run, began, over))


def test_nothing_else_begins_before_it_has_landed() -> None:
    run = begun()
    assert dispatched(run) == ["BASE-1"]
    assert dispatched(ended(run, "BASE-1", StoryStatus.COMPLETED)) == ["US-001"]
    failed = ended(run, "BASE-1", StoryStatus.FAILED)
    assert dispatched(failed) == []
    assert failed.schedule.blocked == {
        "US-001": "depends on BASE-1, which failed",
        "US-002": "depends on BASE-1, which failed",
    }


def test_it_comes_before_the_steps_of_the_run_itself() -> None:
    run = begun(FRAMED)
    assert dispatched(run) == ["BASE-1"]
    assert dispatched(ended(run, "BASE-1", StoryStatus.COMPLETED)) == ["_run"]
    (end,) = decide_run(ended(run, "BASE-1", StoryStatus.FAILED))
    assert isinstance(end, run_effects.EndRun)
    assert end.facts == (run_facts.RunEnded(at=0, status=RunStatus.FAILED),)


def test_stories_that_a_step_has_planned_come_behind_it_too() -> None:
    run = ended(begun(FRAMED), "BASE-1", StoryStatus.COMPLETED)
    opened = run_facts.LoopOpened(at=5, round=1, stories=(asked(7),), feedback="", context=())
    run = kept(fold_run(run, run_facts.FrameBegun(at=4, start_number=1), opened))
    assert list(run.stories) == ["BASE-1", "US-007"]
    assert run.asked(story_id(7)).depends_on == ("BASE-1",)
    assert run.stories[StoryId("BASE-1")].status is StoryStatus.COMPLETED
    assert dispatched(run) == ["US-007"]


def test_stories_that_are_added_or_edited_depend_on_it_as_well() -> None:
    run = fold_run(begun(), run_facts.StoryAdded(at=4, story=asked(3)), run_facts.StoryEdited(at=5, story=asked(1)))
    assert run.asked(story_id(3)).depends_on == run.asked(story_id(1)).depends_on == ("BASE-1",)
    other = replace(run.asked(StoryId("BASE-1")), title="Make it green")
    run = fold_run(run, run_facts.StoryEdited(at=6, story=other))
    assert run.asked(StoryId("BASE-1")).title == "Make it green"
