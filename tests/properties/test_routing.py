"""Routes reach an end for all decisions of agents, gates and people, and within the allowed retries."""

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core import effect as e
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.state import ENDED, StoryState
from shiftwork.domain.workflow.pipeline import FINISHED, Step, StepStatus
from shiftwork.domain.workflow.workflow import Route, StepKind, StepPlan, Workflow
from shiftwork.planning.workflow_checks import check_routes
from shiftwork.prompts.prompt_parts import Surroundings, compose
from shiftwork.prompts.render import names
from shiftwork.testing.builders import assignment, planned, started_story
from shiftwork.testing.simulation.simulation import FirstChoice, Play
from shiftwork.testing.simulation.story import StorySimulation
from shiftwork.testing.strategies import QUICK, DrawnChance, routed, workflows

DECIDING = ("completed", "completed", "completed", "failed")


@st.composite
def pipelines(draw: st.DrawFn) -> tuple[StepPlan, ...]:
    """Steps of which some decide: at least two, so that a route has somewhere to lead."""
    steps = draw(workflows().filter(lambda found: len(found) > 1))
    found = draw(routed([replace(step, routes=(), decision_key="") for step in steps]))
    return tuple(replace(step, routes=tuple(draw(in_rounds(route)) for route in step.routes)) for step in found)


def in_rounds(route: Route) -> st.SearchStrategy[Route]:
    """The route, or one with rounds if it leads back."""
    return st.integers(0, 3).map(lambda rounds: replace(route, rounds=rounds if route.back else 0))


def played(steps: tuple[StepPlan, ...], simulation: StorySimulation) -> Play[StoryState]:
    play = Play(decide=decide_story, evolve=evolve_story, answer=simulation.answer, state=StoryState())
    play.open(
        [story_facts.StoryStarted(at=0, assignment=assignment(limits=Limits(repairs=0, conflicts=0)), steps=steps)]
    )
    play.run(simulation.bound(play.state))
    return play


def deciding_simulation(data: st.DataObject, answers: int = 0) -> StorySimulation:
    """Agents decide and fail; there are no edits and no crashes, and landing is immediate."""
    return StorySimulation(
        chance=DrawnChance(data), mishaps=0, answers=answers, endings=DECIDING, verdicts=("landed", "landed")
    )


@given(pipelines())
@QUICK
def test_what_is_drawn_here_is_what_a_file_may_say(steps: tuple[StepPlan, ...]) -> None:
    loop = StepPlan(name="stories", type="stories", kind=StepKind.LOOP, body=steps)
    assert check_routes(Workflow(id="w", version=1, steps=(loop,))) == ()


@given(pipelines(), st.data())
@QUICK
def test_any_workflow_ends_and_no_step_is_gone_back_to_more_often_than_its_limit(
    steps: tuple[StepPlan, ...], data: st.DataObject
) -> None:
    """No person grants more here, so the declared retries are the limit for failures and routes together."""
    play = played(steps, deciding_simulation(data))
    assert play.state.status in ENDED
    back = Counter(fact.target for fact in play.history if isinstance(fact, story_facts.StepRouted) and fact.back)
    retried = Counter(fact.step for fact in play.history if isinstance(fact, story_facts.StepRetried))
    for step in play.state.pipeline.steps:
        assert step.retries <= step.plan.max_retries
        assert back[step.id] + retried[step.id] == step.retries + step.rounds
        assert step.rounds < max((route.rounds for route in leading_to(play.state, step)), default=1) or not step.rounds


def leading_to(story: StoryState, step: Step) -> tuple[Route, ...]:
    return tuple(route for other in story.pipeline.steps for route in other.plan.routes if route.target == step.id)


@given(pipelines(), st.data())
@QUICK
def test_a_person_grants_one_more_round_at_a_time(steps: tuple[StepPlan, ...], data: st.DataObject) -> None:
    play = played(steps, deciding_simulation(data, answers=3))
    assert play.state.status in ENDED
    for step in play.state.pipeline.steps:
        assert step.retries <= step.plan.max_retries


@given(pipelines(), st.data())
@QUICK
def test_every_decision_is_followed_before_anything_else_is_done(
    steps: tuple[StepPlan, ...], data: st.DataObject
) -> None:
    for turn in played(steps, deciding_simulation(data, answers=2)).turns:
        if turn.before.routing and not turn.before.waiting.hold and turn.before.status not in ENDED:
            assert isinstance(turn.effect, e.Conclude | story_effects.ReportWaiting)
        if any(isinstance(fact, story_facts.StepRouted) for fact in turn.facts):
            (fact,) = turn.facts
            assert isinstance(fact, story_facts.StepRouted)
            assert turn.after.routing == ""
            deciding = turn.after.pipeline.find(fact.step)
            assert deciding is not None
            assert (deciding.status is StepStatus.PENDING) == fact.back
            if fact.target and not fact.back:
                places = [step.id for step in turn.after.pipeline.steps]
                between = turn.after.pipeline.steps[places.index(fact.step) + 1 : places.index(fact.target)]
                assert all(step.status in FINISHED for step in between)


@given(workflows().map(lambda steps: tuple(replace(step, routes=(), decision_key="") for step in steps)), st.data())
@QUICK
def test_a_linear_pipeline_goes_in_its_order(steps: tuple[StepPlan, ...], data: st.DataObject) -> None:
    simulation = StorySimulation(
        chance=DrawnChance(data), mishaps=0, endings=("completed", "failed"), verdicts=("landed", "landed")
    )
    play = played(steps, simulation)
    assert not any(isinstance(fact, story_facts.StepRouted) for fact in play.history)
    places = [step.id for step in play.state.pipeline.steps]  # a person's edit may put new steps between others
    begun = [places.index(fact.step) for fact in play.history if isinstance(fact, story_facts.StepStarted)]
    assert begun == sorted(begun)


def test_with_the_first_choice_every_step_runs_once() -> None:
    steps = (planned("coding"), planned("review"))
    play = played(steps, StorySimulation(chance=FirstChoice(), endings=("completed",), verdicts=("landed",)))
    assert [fact.step for fact in play.history if isinstance(fact, story_facts.StepStarted)] == ["step-001", "step-002"]


TEXTS = st.text(alphabet=st.sampled_from("{}ab _\n"), max_size=30) | st.sampled_from(
    ["{{task}}", "{{changes}}", "{{ repo }}", "{{{{task}}}}"]
)


@given(TEXTS, TEXTS)
def test_no_template_expands_what_agents_have_said(changes: str, feedback: str) -> None:
    story = started_story(planned("own", input="<{{changes}}|{{verify_feedback}}>"))
    message = replace(story, dialogue=replace(story.dialogue, context=(("changes", changes),)))
    step = replace(message.pipeline.steps[0], feedback=feedback)
    prompt = compose(message, step, Surroundings(workspace="/secret/place"))
    assert f"<{changes}|{feedback}>" in prompt
    assert names(step.plan.input) == {"changes", "verify_feedback"}
