"""Every acceptance line of the decision-routing document, and what an edit may do to a route."""

from dataclasses import replace

import pytest

from shiftwork.domain.agents.rate_limit import Awaited, Waited
from shiftwork.domain.core.ids import step_id
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.routing import Undecided, decision_of, route_for, verdict_of
from shiftwork.domain.story.state import FailureCause, HoldCause, StoryState, StoryStatus
from shiftwork.domain.workflow.edit_request import Edit, Operation
from shiftwork.domain.workflow.guardrails import PERSON
from shiftwork.domain.workflow.pipeline import Step, StepStatus, pipeline_of
from shiftwork.domain.workflow.workflow import Exhausted, Route, StepKind, StepPlan
from shiftwork.testing.builders import (
    after_steps,
    began,
    changed_step,
    concluded,
    conclusion,
    done,
    failed,
    fold_story,
    planned,
)
from shiftwork.testing.builders import started_story as started
from tests.unit.domain.workflow.compound import (
    BRAINSTORM,
    COMPOUND,
    PLAN,
    REVIEW,
    WORK,
    compound,
    reviewed,
    statuses,
    step,
)

# Where decisions lead -------------------------------------------------------------------------------------------------


def test_approved_leads_forward_to_compound() -> None:
    story = reviewed("approved")
    fact = conclusion(story)
    assert isinstance(fact, story_facts.StepRouted)
    assert (fact.step, fact.value, fact.target, fact.back) == (REVIEW, "approved", COMPOUND, False)
    assert statuses(concluded(story)) == ["completed"] * 4 + ["pending"]


def test_needs_fixes_leads_back_to_work_with_the_issues_in_the_context_and_as_feedback() -> None:
    story = concluded(reviewed("needs_fixes"))
    assert statuses(story) == ["completed", "completed", "pending", "pending", "pending"]
    assert dict(story.dialogue.context)["review_issues"] == "no tests"
    assert step(story, WORK).feedback == "REVIEW_ISSUES: no tests"
    current = story.pipeline.current
    assert current is not None
    assert current.id == WORK


def test_rejected_leads_back_to_brainstorm_with_the_issues_in_the_context() -> None:
    story = concluded(reviewed("rejected"))
    assert statuses(story) == ["pending"] * 5
    assert dict(story.dialogue.context)["review_issues"] == "no tests"
    assert step(story, BRAINSTORM).feedback == "REVIEW_ISSUES: no tests"


def test_a_route_takes_what_it_names_out_of_the_context() -> None:
    story = replace(
        made := reviewed("rejected"), dialogue=replace(made.dialogue, context=(("plan_file", "p.md"), ("kept", "yes")))
    )
    assert concluded(story).dialogue.context == (("kept", "yes"),)


def test_the_deciding_step_is_pending_and_not_done_after_going_back() -> None:
    story = concluded(reviewed("needs_fixes"))
    assert step(story, REVIEW).status is StepStatus.PENDING
    again = concluded(reviewed("approved", after_steps(story, 1)))
    assert statuses(again) == ["completed"] * 4 + ["pending"]


def test_a_forward_jump_passes_over_what_lies_between_and_says_why() -> None:
    routes = (Route(value="small", target="work"),)
    story = after_steps(started(planned("triage", decision_key="SIZE", routes=routes), "planning", planned("work")), 0)
    story = fold_story(story, began(story))
    story = concluded(fold_story(story, done(story, decision="small")))
    assert statuses(story) == ["completed", "skipped", "pending"]
    assert step(story, step_id(2)).skip_reason == "step-001 decided 'small', which leads to step-003"


def test_going_back_runs_again_what_a_route_had_passed_over_but_not_what_an_edit_had_skipped() -> None:
    triage = planned("triage", decision_key="SIZE", routes=(Route(value="small", target="work"),))
    check = planned("check", decision_key="OK", routes=(Route(value="no", target="triage", back=True),))
    story = started(triage, "planning", planned("work"), "prune_tests", check)
    skip = Edit(operation=Operation.SKIP, reason="nothing to prune", target=step_id(4))
    story = fold_story(
        story, story_facts.WorkflowEdited(at=0, by=PERSON, edits=(skip,), before=(), after=()), began(story)
    )
    story = concluded(fold_story(story, done(story, decision="small")))
    story = after_steps(story, 1)
    story = fold_story(story, began(story))
    story = concluded(fold_story(story, done(story, decision="no")))
    assert statuses(story) == ["pending", "pending", "pending", "skipped", "pending"]


def test_a_value_without_a_target_continues_in_order() -> None:
    routes = (Route(value="fine"), Route(value="bad", target="work", back=True))
    story = after_steps(started(planned("work"), planned("look", decision_key="L", routes=routes), planned("end")), 1)
    story = fold_story(story, began(story))
    story = concluded(fold_story(story, done(story, decision="fine")))
    assert statuses(story) == ["completed", "completed", "pending"]


# Counters -------------------------------------------------------------------------------------------------------------


def test_going_back_counts_against_the_target() -> None:
    story = concluded(reviewed("needs_fixes"))
    assert (step(story, WORK).retries, step(story, REVIEW).retries, step(story, PLAN).retries) == (1, 0, 0)


def test_a_failure_and_a_route_back_count_together() -> None:
    story = after_steps(started(*compound(max_retries=2)), 2)
    story = fold_story(story, began(story))
    story = concluded(fold_story(story, failed(story)))
    story = concluded(reviewed("needs_fixes", after_steps(story, 1)))
    assert step(story, WORK).retries == 2
    spent = reviewed("needs_fixes", after_steps(story, 1))
    assert concluded(spent).status is StoryStatus.FAILED


def test_when_the_targets_retries_are_spent_the_story_fails_and_says_why() -> None:
    story = reviewed("needs_fixes", after_steps(concluded(reviewed("needs_fixes")), 1))
    fact = conclusion(story)
    assert isinstance(fact, story_facts.StoryFailed)
    assert fact.cause is FailureCause.STEP
    assert fact.reason == (
        "step-004 review decided 'needs_fixes' again, and step-003 work was already repeated 1 time, "
        "which is its limit: REVIEW_ISSUES: no tests"
    )


def test_when_the_targets_retries_are_spent_a_person_is_asked_and_may_allow_one_more_round() -> None:
    story = concluded(reviewed("needs_fixes", max_retries=0, exhausted=Exhausted.ASK))
    assert story.waiting.hold is not None
    assert story.waiting.hold.cause is HoldCause.EXHAUSTED
    message = fold_story(story, story_facts.StoryReleased(at=5, granted=True, answer="try tabs"))
    again = concluded(replace(message, waiting=replace(message.waiting, reported=False)))
    assert statuses(again)[2:] == ["pending"] * 3
    assert step(again, WORK).feedback == "REVIEW_ISSUES: no tests\nA person says: try tabs"
    asked_again = concluded(reviewed("needs_fixes", after_steps(again, 1)))
    assert asked_again.waiting.hold is not None, "one more round, and no more"


def test_one_more_round_needs_no_words() -> None:
    story = concluded(reviewed("needs_fixes", max_retries=0, exhausted=Exhausted.ASK))
    message = fold_story(story, story_facts.StoryReleased(at=5, granted=True, answer=""))
    assert (
        step(concluded(replace(message, waiting=replace(message.waiting, reported=False))), WORK).feedback
        == "REVIEW_ISSUES: no tests"
    )


def test_a_person_who_allows_no_more_ends_the_story() -> None:
    story = concluded(reviewed("needs_fixes", max_retries=0, exhausted=Exhausted.ASK))
    ended = fold_story(story, story_facts.StoryReleased(at=5, granted=False, answer=""))
    assert concluded(ended).status is StoryStatus.FAILED


def checked(story: StoryState, said: str) -> StoryState:
    """The work is done, and the gates after it are red and say this."""
    story = after_steps(story, 1)
    story = fold_story(story, began(story))
    return fold_story(story, done(story, decision="failed", verdict=said))


def with_gates(exhausted: Exhausted = Exhausted.FAIL) -> StoryState:
    red = (Route(value="failed", target="coding", back=True), Route(value="passed"))
    gates = planned("check", StepKind.GATE, routes=red)
    return started(planned("coding", max_retries=5, exhausted=exhausted), gates)


def test_gates_that_fail_the_same_way_lead_back_once() -> None:
    once = concluded(checked(with_gates(), "gate test failed: 1 failed in 0.1 s"))
    twice = checked(once, "gate test failed: 1 failed in 7.2 s")
    fact = conclusion(twice)
    assert isinstance(fact, story_facts.StoryFailed)
    assert fact.reason == (
        "step-002 check failed in the same way after step-001 coding had run again: gate test failed: 1 failed in 7.2 s"
    )


def test_gates_that_fail_another_way_lead_back_again() -> None:
    once = concluded(checked(with_gates(), "gate test failed: 2 failed"))
    assert isinstance(conclusion(checked(once, "gate test failed: 1 failed")), story_facts.StepRouted)


def test_a_person_may_allow_another_round_after_the_same_failure() -> None:
    once = concluded(checked(with_gates(Exhausted.ASK), "red"))
    held = concluded(checked(once, "red"))
    assert held.waiting.hold is not None
    assert held.waiting.hold.cause is HoldCause.EXHAUSTED
    story = fold_story(held, story_facts.StoryReleased(at=5, granted=True, answer=""))
    again = concluded(replace(story, waiting=replace(story.waiting, reported=False)))
    assert [step.status for step in again.pipeline.steps] == ["pending", "pending"]
    assert again.pipeline.steps[0].plan.max_retries == 5


def test_an_answer_about_a_decision_that_leads_on_only_ends_the_waiting() -> None:
    story = started(planned("look", decision_key="L", routes=(Route(value="fine"),)))
    story = fold_story(story, began(story))
    story = fold_story(story, done(story, decision="fine"))
    held = fold_story(story, story_facts.StoryHeld(at=1, cause=HoldCause.EXHAUSTED, detail="?"))
    message = fold_story(held, story_facts.StoryReleased(at=5, granted=True, answer=""))
    assert message.rate_limit.waited == (Waited(awaited=Awaited.PERSON, since=1, until=5),)
    assert (
        replace(message, waiting=replace(message.waiting, holds=0), rate_limit=replace(message.rate_limit, waited=()))
        == story
    )


# What an answer decides -----------------------------------------------------------------------------------------------


def deciding() -> Step:
    return pipeline_of(compound()).steps[3]


@pytest.mark.parametrize(
    "said", ["approved", "Approved", "APPROVED", "**approved**", "`approved`.", "approved\n\nwell"]
)
def test_values_are_compared_without_regard_to_case_and_marks(said: str) -> None:
    assert decision_of(deciding(), (("decision", said),)) == "approved"


def test_a_missing_decision_is_reported_with_the_values_there_are() -> None:
    missing = Undecided(reason="the answer lacks DECISION:, which must be one of approved, needs_fixes, rejected")
    assert decision_of(deciding(), (("status", "done"),)) == missing
    assert decision_of(deciding(), (("decision", " \n"),)) == missing


def test_an_unknown_decision_is_reported_with_the_values_there_are() -> None:
    unknown = Undecided(reason="DECISION: 'perhaps' is not one of approved, needs_fixes, rejected")
    assert decision_of(deciding(), (("decision", "perhaps"),)) == unknown


@pytest.mark.parametrize("said", ["approved (one small remark)", "**Approved** (see above)", "approved(with care)."])
def test_a_remark_in_brackets_after_a_decision_is_no_part_of_it(said: str) -> None:
    assert decision_of(deciding(), (("decision", said),)) == "approved"


def test_a_remark_alone_is_no_decision() -> None:
    assert isinstance(decision_of(deciding(), (("decision", "(approved)"),)), Undecided)


def test_status_retry_takes_a_route_of_its_own_whatever_else_is_decided() -> None:
    both = replace(
        made := deciding(),
        plan=replace(made.plan, routes=(*deciding().plan.routes, Route(value="retry", target=WORK, back=True))),
    )
    assert decision_of(both, (("status", "retry"), ("decision", "approved"))) == "retry"
    assert decision_of(deciding(), (("status", "retry"), ("decision", "approved"))) == "approved"


def test_a_step_without_a_key_decides_nothing() -> None:
    assert decision_of(pipeline_of(compound()).steps[0], (("decision", "approved"),)) == ""


def test_no_value_has_a_route_of_its_own() -> None:
    assert route_for(changed_step(deciding(), routes=(Route(value=""),)), "") is None


def test_a_verdict_without_words_is_the_notes() -> None:
    assert verdict_of(deciding(), (("status", "done"), ("decision", "approved")), "notes") == "notes"


# What is not decided here ---------------------------------------------------------------------------------------------


def test_a_pipeline_without_routes_goes_in_order() -> None:
    story = started("coding", "review")
    seen = []
    while story.pipeline.current:
        seen.append(story.pipeline.current.id)
        story = after_steps(story, 1)
    assert seen == [step_id(1), step_id(2)]
    assert story.routing == ""


def test_nothing_begins_and_nothing_lands_before_a_decision_is_followed() -> None:
    story = reviewed("approved")
    assert fold_story(story, began(story)) == story
    landing = story_facts.LandingRequested(at=1, number=1, tip=story.work.head)
    assert fold_story(replace(story, pipeline=pipeline_of(())), landing).landing.progress == story.landing.progress


def test_a_route_that_no_decision_asks_for_changes_nothing() -> None:
    story = after_steps(started(*compound()), 3)
    fact = story_facts.StepRouted(at=1, step=REVIEW, value="rejected", target=WORK, back=True, feedback="")
    assert fold_story(story, fact) == story


def test_a_route_to_a_step_that_is_gone_continues_in_order() -> None:
    story = reviewed("needs_fixes")
    fact = story_facts.StepRouted(at=1, step=REVIEW, value="needs_fixes", target=step_id(9), back=True, feedback="")
    assert statuses(fold_story(story, fact)) == ["completed"] * 4 + ["pending"]


def test_a_route_to_a_name_that_no_step_has_continues_in_order() -> None:
    lost = replace(deciding_plan(), routes=(Route(value="yes", target="nowhere", back=True),))
    assert pipeline_of((lost,)).steps[0].plan.routes[0].target == ""


def deciding_plan() -> StepPlan:
    return planned("look", decision_key="L")


def test_a_target_on_the_wrong_side_is_not_gone_to() -> None:
    """No file can say so, but a history might."""
    routes = (Route(value="yes", target="end", back=True),)
    story = started(planned("look", decision_key="L", routes=routes), planned("end"))
    story = fold_story(story, began(story))
    story = concluded(fold_story(story, done(story, decision="yes")))
    assert statuses(story) == ["completed", "pending"]
