"""What an answer means: a result, a question, or what is wrong with it."""

from dataclasses import replace
from typing import Any

import pytest

from shiftwork.domain.workflow.pipeline import Step, pipeline_of
from shiftwork.domain.workflow.workflow import Route
from shiftwork.prompts.answer.contract import parse
from shiftwork.prompts.answer.result import InvalidAnswer, Result, question, rejection, result
from shiftwork.testing.builders import planned


def step(**changes: Any) -> Step:
    return pipeline_of((planned("coding", **changes),)).steps[0]


OWN = step(input="Do it.")


def came_to(item: Step, answer: str) -> Result | InvalidAnswer:
    return result(item, parse(answer))


# Steps with the catalogue's prompt ------------------------------------------------------------------------------------


def test_a_step_of_the_catalogue_ends_with_a_summary() -> None:
    assert came_to(step(), "SUMMARY: done") == Result(notes="done", outputs=())
    assert came_to(step(), "I did it.") == Result(notes="", outputs=(), unsummarised=True)


def test_an_answer_without_a_summary_may_still_say_that_the_step_is_done() -> None:
    for answer in ("STATUS: done", "<promise>COMPLETE</promise>", "STORY_COMPLETE: US-1"):
        found = came_to(step(), answer)
        assert isinstance(found, Result)
        assert (found.unsummarised, found.claimed) == (True, True)


def test_a_step_of_the_catalogue_sets_every_key_it_declares_and_no_other() -> None:
    declared = step(output_keys=("plan", "files"))
    assert came_to(declared, "OTHER: x\nSUMMARY: done") == InvalidAnswer(error="the answer lacks PLAN:, FILES:")
    assert came_to(declared, "PLAN: x") == InvalidAnswer(error="the answer lacks FILES:, SUMMARY:")
    assert came_to(declared, "OTHER: x\nPLAN: a\nFILES: b\nSUMMARY: done") == Result(
        notes="done", outputs=(("plan", "a"), ("files", "b"))
    )


@pytest.mark.parametrize("status", ["retry", "failed", "**Retry**"])
def test_a_status_that_rejects_the_work_fails_a_step_of_the_catalogue(status: str) -> None:
    rejected = InvalidAnswer(error="ISSUES: two tests fail", rejected=True)
    assert came_to(step(), f"STATUS: {status}\nISSUES: two tests fail\nSUMMARY: no") == rejected
    assert came_to(step(), f"STATUS: {status}\nSUMMARY: no") == InvalidAnswer(error="no", rejected=True)


def test_a_rejected_work_is_not_approved_at_the_same_time() -> None:
    routes = (Route(value="approved"), Route(value="needs_fixes", target="coding", back=True))
    deciding = step(decision_key="decision", routes=routes)
    rejected = "STATUS: retry\nISSUES: two tests fail\nDECISION: {}\nSUMMARY: no"
    approved = came_to(deciding, rejected.format("approved"))
    assert isinstance(approved, InvalidAnswer)
    assert approved.rejected
    sent_back = came_to(deciding, rejected.format("needs_fixes"))
    assert isinstance(sent_back, Result)
    assert sent_back.decision == "needs_fixes"


# Pull requests --------------------------------------------------------------------------------------------------------

ADDRESSES = (
    "https://github.com/o/r/pull/77",
    "http://git.example.org:3000/o/r/pulls/7",
    "https://gitlab.com/g/s/p/-/merge_requests/1",
    "https://bitbucket.org/o/r/pull-requests/12",
    "https://dev.azure.com/o/p/_git/r/pullrequest/5",
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_pull_request_that_an_agent_names_is_a_claim_wherever_it_is_shown(address: str) -> None:
    claimed = f"{address} (claimed by an agent, not checked)"
    assert came_to(OWN, f"STATUS: done\nPR: {address}") == Result(
        notes=f"PR: {claimed}", outputs=(("status", "done"), ("pr", claimed))
    )
    assert came_to(step(), f"SUMMARY: I opened {address}.") == Result(notes=f"I opened {claimed}.", outputs=())
    routes = (Route(value="done"), Route(value="retry", target="coding", back=True))
    deciding = came_to(replace_plan(routes), f"STATUS: done\nPR: {claimed}")
    assert isinstance(deciding, Result)
    assert deciding.verdict == f"PR: {claimed}", "a claim is marked once"


@pytest.mark.parametrize("text", ["Greets twice a day", "https://github.com/o/r", "https://github.com/o/r/issues/77"])
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert came_to(OWN, f"STATUS: done\nPR: {text}") == Result(
        notes=f"PR: {text}", outputs=(("status", "done"), ("pr", text))
    )


def replace_plan(routes: tuple[Route, ...]) -> Step:
    return step(input="Do it.", decision_key="status", routes=routes)


# Steps with a prompt of their own -------------------------------------------------------------------------------------


def test_a_status_and_keys_without_a_summary_will_do() -> None:
    assert came_to(OWN, "STATUS: done\nCHANGES: a field") == Result(
        notes="CHANGES: a field", outputs=(("status", "done"), ("changes", "a field"))
    )


def test_a_summary_is_the_notes_where_there_is_one() -> None:
    assert came_to(OWN, "CHANGES: a field\nSUMMARY: did it") == Result(
        notes="did it", outputs=(("changes", "a field"),)
    )


def test_an_answer_that_says_nothing_will_not_do() -> None:
    assert came_to(OWN, "I am done.") == InvalidAnswer(error="the answer has neither STATUS: nor SUMMARY:")


def test_every_key_that_is_expected_must_be_there() -> None:
    expecting = step(input="Do it.", expects="STATUS: done\nTESTS: which\nSUMMARY: in short\nand all is well: really")
    assert came_to(expecting, "STATUS: done") == InvalidAnswer(error="the answer lacks TESTS:, SUMMARY:")
    assert isinstance(came_to(expecting, "STATUS: done\nTESTS: two\nSUMMARY: yes"), Result)


def test_a_plan_has_its_own_way_of_being_missing() -> None:
    assert isinstance(came_to(step(input="Plan.", expects="STORIES_JSON: [...]"), "STATUS: done"), Result)


def test_output_keys_only_limit_a_step_with_its_own_prompt() -> None:
    limited = step(input="Do it.", output_keys=("Changes", "tests"))
    assert came_to(limited, "STATUS: done\nCHANGES: x\nREPO: /") == Result(
        notes="CHANGES: x\nREPO: /", outputs=(("changes", "x"),)
    )


def test_status_retry_fails_the_attempt_where_it_leads_nowhere() -> None:
    assert came_to(OWN, "STATUS: retry\nISSUES: no tests") == InvalidAnswer(error="ISSUES: no tests", rejected=True)
    assert came_to(OWN, "STATUS: retry") == InvalidAnswer(
        error="the answer says STATUS: retry, but not why", rejected=True
    )


def test_status_retry_takes_its_route() -> None:
    leading = replace(OWN, plan=replace(OWN.plan, routes=(Route(value="retry", target="step-001", back=True),)))
    found = came_to(leading, "STATUS: retry\nISSUES: no tests")
    assert isinstance(found, Result)
    assert (found.decision, found.verdict) == ("retry", "ISSUES: no tests")


def test_a_decision_that_cannot_be_followed_is_amiss() -> None:
    deciding = replace(OWN, plan=replace(OWN.plan, decision_key="DECISION", routes=(Route(value="yes"),)))
    assert came_to(deciding, "STATUS: done\nDECISION: no") == InvalidAnswer(error="DECISION: 'no' is not one of yes")
    found = came_to(deciding, "STATUS: done\nDECISION: Yes")
    assert isinstance(found, Result)
    assert found.decision == "yes"


# Questions ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ("STORY_BLOCKED: I need a key", "I need a key"),
        ("STATUS: blocked\nQUESTION: which port?", "which port?"),
        ("STATUS: blocked\nISSUES: no port", "no port"),
        ("STATUS: Blocked\nSUMMARY: no port is free", "no port is free"),
        ("STATUS: blocked", "The agent says that it is blocked, but not why."),
        ("STATUS: done\nQUESTION: which port?", ""),
        ("SUMMARY: done", ""),
    ],
)
def test_what_a_person_is_needed_for(answer: str, asked: str) -> None:
    assert question(parse(answer)) == asked


@pytest.mark.parametrize(
    "status",
    [
        *(
            "retry",
            "retry - the change deletes user data",
            "retry (see issues)",
            "**retry** because x",
            "RETRY, see below",
        ),
        *("failed: 3 tests red", "fail", "rejected", "not done", "needs_fixes", "needs changes", "error", "incomplete"),
    ],
)
def test_a_status_that_rejects_the_work_may_be_followed_by_a_reason(status: str) -> None:
    (step,) = pipeline_of((planned("review"),)).steps
    found = result(step, parse(f"STATUS: {status}\nISSUES: data is lost\nSUMMARY: looked at it"))
    assert isinstance(found, InvalidAnswer)
    assert found.rejected
    assert "data is lost" in found.error


@pytest.mark.parametrize(
    "status", ["done", "done, and nothing failed", "complete", "failsafe added", "errors-only log added"]
)
def test_other_statuses_reject_nothing(status: str) -> None:
    assert rejection(parse(f"STATUS: {status}\nSUMMARY: did it")) == ""


def test_a_retry_with_a_reason_takes_the_route_of_a_retry() -> None:
    plan = planned("final_review", routes=(Route(value="retry", adds=("coding",)),))
    found = result(pipeline_of((plan,)).steps[0], parse("STATUS: retry - no tests\nISSUES: x\nSUMMARY: looked"))
    assert isinstance(found, Result)
    assert found.decision == "retry"


@pytest.mark.parametrize("beside", ["STATUS: retry, broken", "VERDICT: maybe"])
def test_a_claim_that_the_answer_contradicts_ends_no_rounds(beside: str) -> None:
    assert isinstance(turn_of(f"SUMMARY: x\n{beside}\nSTORY_COMPLETE: US-001"), InvalidAnswer)


# STORY_COMPLETE in rounds ---------------------------------------------------------------------------------------------


def turn_of(answer: str, *, completes: bool = True, default: str = "") -> Result | InvalidAnswer:
    routes = (Route(value="done"), Route(value="again", target="coder", back=True, rounds=5))
    plan = planned("check", input="Check.", decision_key="VERDICT", routes=routes, completes=completes, default=default)
    return result(pipeline_of((plan,)).steps[0], parse(answer))


def test_a_step_that_may_end_the_rounds_does_so_by_saying_that_the_story_is_complete() -> None:
    ended = turn_of("SUMMARY: all holds\nSTORY_COMPLETE: US-001")
    assert isinstance(ended, Result)
    assert ended.decision == "story_complete"
    alone = turn_of("STORY_COMPLETE: US-001")
    assert isinstance(alone, Result)
    assert (alone.decision, alone.unsummarised, alone.claimed) == ("story_complete", True, True)


def test_the_claim_counts_before_the_decision_of_an_answer_without_one() -> None:
    ended = turn_of("HANDOFF: nothing\nSTORY_COMPLETE: US-001", default="again")
    assert isinstance(ended, Result)
    assert ended.decision == "story_complete"


@pytest.mark.parametrize(
    "answer",
    [
        "VERDICT: again\nBATON: not yet\nSTORY_COMPLETE: US-001",
        "VERDICT: again\nBATON: then I could write STORY_COMPLETE: US-001",
    ],
)
def test_who_asks_for_another_round_gets_it(answer: str) -> None:
    ended = turn_of(answer)
    assert isinstance(ended, Result)
    assert ended.decision == "again"


def test_a_status_that_rejects_the_work_contradicts_its_completion() -> None:
    assert isinstance(turn_of("STATUS: retry\nISSUES: no tests\nSTORY_COMPLETE: US-001"), InvalidAnswer)


def test_the_claim_of_another_step_decides_nothing() -> None:
    assert isinstance(turn_of("STORY_COMPLETE: US-001", completes=False), InvalidAnswer)
