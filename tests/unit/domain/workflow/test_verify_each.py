"""The state table of story-based execution, step by step: implement, verify, pass or go back."""

from dataclasses import replace

from shiftwork.domain.story.routing import Undecided, decision_of
from shiftwork.domain.story.state import LandingStage, StoryState, StoryStatus
from shiftwork.domain.workflow.workflow import Exhausted, Route, StepKind
from shiftwork.planning.desugar import failure_route, verify_each, with_limit, with_route
from shiftwork.testing.builders import began, concluded, done, fold_story, planned, started_story

IMPLEMENT, VERIFY = verify_each(planned("implement", max_retries=2), planned("verify"))


def states(story: StoryState) -> tuple[str, ...]:
    return tuple(step.status.value for step in story.pipeline.steps)


def claimed(story: StoryState) -> StoryState:
    return fold_story(story, began(story))


def verified(story: StoryState, status: str, **outputs: str) -> StoryState:
    running = claimed(story)
    given = tuple(outputs.items())
    text = "\n".join(f"{key.upper()}: {value}" for key, value in given)
    ended = fold_story(running, done(running, outputs=given, decision=status, verdict=text))
    return concluded(ended)


def implemented(story: StoryState) -> StoryState:
    running = claimed(story)
    return fold_story(running, done(running, outputs=(("changes", "a field"),)))


def test_initial_state_implement_waits_to_be_claimed_and_verify_behind_it() -> None:
    assert states(started_story(IMPLEMENT, VERIFY)) == ("pending", "pending")


def test_developer_claims() -> None:
    assert states(claimed(started_story(IMPLEMENT, VERIFY))) == ("in_progress", "pending")


def test_developer_completes_and_the_verifier_sees_the_changes() -> None:
    story = implemented(started_story(IMPLEMENT, VERIFY))
    assert states(story) == ("completed", "pending")
    assert dict(story.dialogue.context) == {"changes": "a field"}


def test_verifier_claims() -> None:
    assert states(claimed(implemented(started_story(IMPLEMENT, VERIFY)))) == ("completed", "in_progress")


def test_verifier_passes_and_the_story_goes_to_its_landing() -> None:
    story = verified(implemented(started_story(IMPLEMENT, VERIFY)), "done", verified="all of it")
    assert states(story) == ("completed", "completed")
    assert (story.landing.progress, story.pipeline.current) == (LandingStage.NONE, None)


def test_verifier_fails_and_the_developer_gets_the_issues() -> None:
    story = verified(implemented(started_story(IMPLEMENT, VERIFY)), "retry", issues="no tests")
    assert states(story) == ("pending", "pending")
    implement = story.pipeline.steps[0]
    assert (implement.retries, implement.feedback) == (1, "ISSUES: no tests")


def test_feedback_is_gone_once_the_developer_has_dealt_with_it() -> None:
    story = verified(implemented(started_story(IMPLEMENT, VERIFY)), "retry", issues="no tests")
    assert implemented(story).pipeline.steps[0].feedback == ""


def test_when_the_retries_are_exhausted_the_story_fails() -> None:
    story = started_story(IMPLEMENT, VERIFY)
    for _ in range(2):
        story = verified(implemented(story), "retry", issues="no tests")
        assert story.status is StoryStatus.IN_PROGRESS
    assert verified(implemented(story), "retry", issues="no tests").status is StoryStatus.FAILED


def test_a_verifier_that_says_neither_done_nor_retry_gets_the_values_it_may_say() -> None:
    step = started_story(IMPLEMENT, VERIFY).pipeline.steps[1]
    assert decision_of(step, ()) == Undecided(reason="the answer lacks STATUS:, which must be one of done, retry")


def test_a_verifier_with_decisions_of_its_own_keeps_them() -> None:
    own = planned("verify", decision_key="DECISION", routes=(Route(value="approved"),))
    _, verify = verify_each(planned("implement"), own)
    assert verify.decision_key == "DECISION"
    assert [route.value for route in verify.routes] == ["approved", "retry"]


def test_on_fail_is_a_route_by_what_each_kind_of_step_says() -> None:
    assert failure_route(StepKind.AGENT, "work") == Route(value="retry", target="work", back=True)
    assert failure_route(StepKind.GATE, "work", ("x",)) == Route(value="failed", target="work", back=True, clear=("x",))
    assert failure_route(StepKind.APPROVAL, "work").value == "rejected"


def test_a_route_that_is_there_already_stays() -> None:
    step = planned("look", routes=(Route(value="Retry", target="a", back=True),))
    assert with_route(step, Route(value="retry", target="b", back=True)) == step


def test_what_on_fail_says_of_retries_is_said_of_the_step_it_leads_to() -> None:
    steps = (planned("work"), planned("look"))
    assert with_limit(steps, "work", 5, Exhausted.ASK) == (
        replace(steps[0], max_retries=5, exhausted=Exhausted.ASK),
        steps[1],
    )
    assert with_limit(steps, "work") == steps
