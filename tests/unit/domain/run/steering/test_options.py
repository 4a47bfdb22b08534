"""Options of a run: kept until others are named."""

from dataclasses import fields, replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RunPlan, RunState
from shiftwork.domain.run.steering.intent_checks import objection
from shiftwork.domain.run.steering.options import followed, in_force, joined, needed_profiles, with_options
from shiftwork.domain.workflow.workflow import DYNAMIC, AgentPlan
from shiftwork.testing.builders import asked, fold_run, run_plan
from shiftwork.testing.strategies import values

NOTHING = run_facts.OptionsChanged(at=0)
CHANGEABLE = {field.name for field in fields(run_facts.OptionsChanged)} - {"at", "named"}


def started(plan: RunPlan) -> RunState:
    return fold_run(RunState(), run_facts.RunStarted(at=0, plan=plan))


@given(st.lists(values(run_facts.OptionsChanged), max_size=4))
def test_each_option_is_what_was_named_last_and_nothing_else_changes(named: list[run_facts.OptionsChanged]) -> None:
    plan = run_plan()
    after = fold_run(started(plan), *named).given
    for name in (field.name for field in fields(RunPlan)):
        if name == "named":
            assert after.named == tuple(sorted({name for options_changed in named for name in options_changed.named}))
            continue
        said: list[Any] = [getattr(options_changed, name) for options_changed in named if name in CHANGEABLE]
        wanted = [getattr(plan, name), *(value for value in said if value is not None)][-1]
        assert getattr(after, name) == wanted


def test_every_option_that_can_be_changed_is_one_of_the_plan() -> None:
    assert {field.name for field in fields(RunPlan)} >= CHANGEABLE


def test_naming_nothing_changes_nothing() -> None:
    assert with_options(run_plan(), NOTHING) == run_plan()


def test_a_run_that_has_not_started_has_no_options() -> None:
    named = run_facts.OptionsChanged(at=0, model="x")
    assert evolve_run(RunState(), named) == RunState()
    assert objection(RunState(), named) is not None
    assert objection(started(run_plan()), named) is None


def test_how_many_stories_at_once_is_in_force_from_then_on() -> None:
    run = started(run_plan(asked(1), asked(2), asked(3)))
    assert len(decide_run(run)) == 1
    assert len(decide_run(fold_run(run, run_facts.OptionsChanged(at=1, parallel=2)))) == 2


def test_what_is_in_force_is_shown() -> None:
    plan = replace(run_plan(parallel=3), model="cheap", trusted=("digest",))
    assert in_force(plan) == {
        "agent": "scripted",
        "model": "cheap",
        "workflow": "dynamic",
        "branch": "main",
        "parallel": 3,
        "ordered": False,
        "keep_going": False,
        "review": False,
        "trust": True,
    }
    ordered = in_force(replace(plan, ordered=True, keep_going=True))
    assert (ordered["parallel"], ordered["ordered"], ordered["keep_going"]) == (1, True, True)


def test_the_profiles_that_a_run_needs_are_its_workflows_and_who_repairs() -> None:
    agents = (AgentPlan(id="coder", profile="quick"), AgentPlan(id="tester"), AgentPlan(id="own", profile="scripted"))
    plan = run_plan(steps=replace(DYNAMIC, agents=agents), limits=Limits(escalate="thorough"))
    assert needed_profiles(plan) == {
        "quick": "its workflow dynamic assigns it to coder",
        "thorough": "it repairs what other profiles could not",
    }
    assert needed_profiles(run_plan()) == {}


@given(values(run_facts.OptionsChanged), values(run_facts.OptionsChanged))
def test_two_changes_at_once_are_one_after_the_other(
    first: run_facts.OptionsChanged, then: run_facts.OptionsChanged
) -> None:
    one_by_one = with_options(with_options(run_plan(), first), then)
    assert with_options(run_plan(), joined(first, then)) == one_by_one


@given(st.sets(st.sampled_from(sorted(CHANGEABLE - {"trusted"}))))
def test_what_the_user_has_not_named_follows_the_settings(named: set[str]) -> None:
    plan = replace(run_plan(), named=tuple(named))
    after = with_options(plan, followed(plan, "codex", "dear", 9))
    assert after.agent == ("scripted" if "agent" in named else "codex")
    assert after.model == ("" if "model" in named else "dear")
    assert after.parallel == (1 if "parallel" in named else 9)
    assert followed(after, "codex", "dear", 9) == NOTHING, "nothing is left to change"


def test_a_workflow_that_says_how_many_stories_at_once_comes_before_the_settings() -> None:
    plan = replace(run_plan(parallel=5), workflow=replace(DYNAMIC, parallel=5))
    assert followed(plan, "scripted", "", 9) == NOTHING
