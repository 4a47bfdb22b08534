"""Mistakes in a workflow are found before anything runs, and the messages say how to fix them."""

from dataclasses import replace
from typing import Any

import pytest

from shiftwork.domain.workflow.workflow import DYNAMIC, AgentPlan, Route, StepKind, StepPlan, Workflow
from shiftwork.planning.workflow_checks import (
    Flaw,
    check,
    check_routes,
    check_templates,
    names_available,
    produced,
    unresolved,
)
from shiftwork.testing.builders import planned, workflow


def own(name: str, text: str = "", **changes: Any) -> StepPlan:
    return planned(name, input=text, **changes)


def messages(found: Workflow) -> list[str]:
    return [f"{flaw.step}.{flaw.field}: {flaw.message}" for flaw in check(found)]


def test_the_packaged_workflow_has_no_flaws() -> None:
    assert check(DYNAMIC) == ()


# Names ----------------------------------------------------------------------------------------------------------------


def test_what_a_step_declares_is_all_that_it_produces() -> None:
    assert produced(own("a", "Reply with:\nSTATUS: done\nPLAN: x", output_keys=("Plan",), decision_key="OK")) == {
        "plan",
        "ok",
    }


def test_without_a_declaration_it_is_what_the_prompt_announces() -> None:
    text = "TASK:\n{{task}}\nREPO: {{repo}}\n\nReply with:\n  STATUS: done\nCHANGES: what you did\nTask: no key"
    assert produced(own("a", text, expects="TESTS: which")) == {"status", "changes", "tests"}


def test_protected_names_are_produced_by_no_one() -> None:
    assert produced(own("plan", "REPO: /path\nBRANCH: name\nBUILD_CMD: make")) == {"build_cmd"}


def test_names_are_those_of_the_harness_the_context_and_all_steps() -> None:
    found = replace(workflow(own("a", "PLAN: x")), context=(("style", "terse"),))
    assert {"task", "verify_feedback", "progress", "style", "plan"} <= names_available(found)


@pytest.mark.parametrize("typed", ["chagnes", "change", "changess", "chanves"])
def test_a_name_that_is_one_slip_from_another_is_refused_with_the_one_that_was_meant(typed: str) -> None:
    found = workflow(own("a", "CHANGES: what"), own("b", f"Look at {{{{{typed}}}}}, {{{{changes}}}} and {{{{zebra}}}}"))
    assert check_templates(found) == (
        Flaw(
            step="b",
            field="input",
            message=f"{{{{{typed}}}}} is a name that no step produces; did you mean 'changes'?",
        ),
    )


UNDECLARED = "is a name that no step declares: it is empty unless an answer has"


def test_any_other_name_that_no_one_produces_is_reported_and_does_not_stop_the_workflow() -> None:
    found = workflow(own("a", "CHANGES: what"), own("b", "Look at {{changes}}, {{taks}}, {{zebra}} and {{change_log}}"))
    assert [(flaw.step, flaw.field, flaw.message) for flaw in unresolved(found)] == [
        (
            "b",
            "input",
            f"{{{{change_log}}}} {UNDECLARED} CHANGE_LOG:; did you mean 'changes'?",
        ),
        ("b", "input", f"{{{{zebra}}}} {UNDECLARED} ZEBRA:"),
    ]
    strict = workflow(own("a", "CHANGES: what", output_keys=("changes",)), own("b", "Look at {{zebra}}"))
    (flaw,) = unresolved(strict)
    assert flaw.message == "{{zebra}} is a name that nothing provides, so it is empty"
    assert unresolved(workflow(own("a", "{{task}} {{has_frontend_changes}} {{lint_cmd}}"))) == ()


def test_a_key_that_is_cleared_must_be_one_that_is_produced() -> None:
    back = Route(value="no", target="a", back=True, clear=("plam", "plan"))
    found = workflow(own("a", "PLAN: x"), own("b", "Look", decision_key="OK", routes=(back,)))
    assert messages(found) == ["b.routes: 'plam' is cleared, but no step produces it; did you mean 'plan'?"]


def test_two_steps_that_declare_the_same_key_must_both_say_so() -> None:
    first, second = own("a", output_keys=("plan",)), own("b", output_keys=("PLAN", "plan"))
    assert messages(workflow(first, second)) == [
        "b.output_keys: 'plan' is already produced by 'a'; list it under shared_keys of both to allow that"
    ]
    shared = [replace(step, shared_keys=("Plan",)) for step in (first, second)]
    assert messages(workflow(*shared)) == []


def test_what_a_prompt_merely_announces_twice_is_not_held_against_it() -> None:
    assert messages(workflow(own("a", "CHANGES: x"), own("b", "CHANGES: y"))) == []


def test_a_protected_name_cannot_be_declared() -> None:
    assert messages(workflow(own("a", output_keys=("repo",)))) == [
        "a.output_keys: 'repo' is reserved: no step can set it"
    ]


# Routes ---------------------------------------------------------------------------------------------------------------

A, C = planned("a"), planned("c")


@pytest.mark.parametrize(
    ("route", "message"),
    [
        (Route(value="v", target="b", back=True), "retry_step cannot be the step itself; max_retries repeats a step"),
        (Route(value="v", target="cc"), "next_step 'cc' is no step here; did you mean 'c'?"),
        (Route(value="v", target="c", back=True), "retry_step 'c' must come before 'b'; next_step leads on"),
        (Route(value="v", target="a"), "next_step 'a' must come after 'b'; retry_step leads back"),
    ],
    ids=["self-loop", "unknown", "forward-loop", "backward"],
)
def test_a_route_that_leads_nowhere_is_refused(route: Route, message: str) -> None:
    deciding = planned("b", decision_key="D", routes=(route,))
    assert check_routes(workflow(A, deciding, C)) == (Flaw(step="b", field="on_decision.v", message=message),)


def test_routes_that_lead_on_back_and_in_order_are_fine() -> None:
    routes = (Route(value="x", target="a", back=True), Route(value="y", target="c"), Route(value="z"))
    assert check_routes(workflow(A, planned("b", decision_key="D", routes=routes), C)) == ()


def test_a_key_without_routes_decides_nothing() -> None:
    assert messages(workflow(planned("b", decision_key="D"))) == [
        "b.decision_key: decision_key needs on_decision, which says where each value leads"
    ]


def test_gates_and_people_decide_by_themselves() -> None:
    route = Route(value="maybe", target="a", back=True)
    gate = planned("b", StepKind.GATE, decision_key="D", routes=(route,))
    assert messages(workflow(A, gate)) == [
        "b.decision_key: a step of the kind gate decides by itself: passed or failed",
        "b.on_decision.maybe: a step of the kind gate decides passed or failed, never 'maybe'",
    ]
    fine = planned("b", StepKind.APPROVAL, routes=(Route(value="rejected", target="a", back=True),))
    assert messages(workflow(A, fine)) == []


def test_a_question_cannot_name_what_only_agents_know() -> None:
    ask = planned("b", StepKind.APPROVAL, input="Land {{task}} after {{completed_stories}}?")
    message = "b.input: {{completed_stories}} is only for agents, not for questions"
    assert messages(workflow(A, ask)) == [message]
    assert messages(workflow(A, planned("b", input="After {{completed_stories}}"))) == []


def test_a_question_cannot_name_a_part_of_a_prompt_unless_a_step_produces_that_name() -> None:
    ask = planned("b", StepKind.APPROVAL, input="Land it, {{notes}}?")
    assert messages(workflow(A, ask)) == ["b.input: {{notes}} is only for agents, not for questions"]
    assert messages(workflow(own("a", output_keys=("notes",)), ask)) == []
    assert (
        messages(workflow(A, planned("b", input="{{notes}} {{patterns}} {{learnings}} {{scratch}} {{checks}}"))) == []
    )


# Agents ---------------------------------------------------------------------------------------------------------------


def test_a_step_names_an_agent_that_the_workflow_lists() -> None:
    found = replace(workflow(own("a", agent="developper")), agents=(AgentPlan(id="developer"),))
    assert messages(found) == ["a.agent: 'developper' is not an agent of this workflow; did you mean 'developer'?"]
    assert messages(workflow(own("a", agent="anybody"))) == []
    assert messages(replace(workflow(own("a", agent="developer")), agents=(AgentPlan(id="developer"),))) == []


# Decisions that add steps ---------------------------------------------------------------------------------------------


def test_a_default_decision_must_have_a_route_and_added_steps_must_have_room() -> None:
    sizes = (Route(value="small"), Route(value="large", adds=("planning", "coding")))
    deciding = planned("coding", decision_key="size", default="huge", routes=sizes)
    assert messages(workflow(deciding)) == ["coding.default_decision: 'huge' is none of the values of on_decision"]
    rest = (own(f"own-{number}", "x") for number in range(28))
    full = workflow(replace(deciding, default="small"), *rest)
    assert messages(full) == ["coding.on_decision.large: the steps here and those of add_steps are more than 30"]
