"""Teams in a workflow file: their steps, who may end their rounds, and what a file gets wrong about them."""

from pathlib import Path
from textwrap import dedent

import pytest

from shiftwork.adapters.workflows.loading import load
from shiftwork.adapters.workflows.lookup import find
from shiftwork.adapters.workflows.writing import expanded
from shiftwork.bootstrap.workflow_claims import claim_of
from shiftwork.domain.workflow.pipeline import pipeline_of
from shiftwork.domain.workflow.workflow import Route, Workflow
from shiftwork.errors import WorkflowError
from shiftwork.planning.team import LARGEST_TEAM, TEAM_ROLES
from shiftwork.prompts.answer.contract import parse
from shiftwork.prompts.answer.result import Result, asked_of, result

ROUNDS = """\
id: rounds
agents:
  - {{id: dev, role: coding}}
  - {{id: rev, role: verification}}
steps:
  - {{id: before, agent: rev, input: Look.}}
  - {{id: work, agent: dev, input: Work., max_retries: 1}}
  - {{id: read, agent: rev, input: Read.}}
  - id: try
    agent: rev
    input: Try.
    max_retries: 7
    decision_key: VERDICT
    on_decision: {{done: continue, again: {route}}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "shiftwork/workflows/rounds.yml"


def read(file: Path, text: str) -> Workflow:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(dedent(text), encoding="utf-8")
    return load(file, file.name, file.parent).workflow


def refused(file: Path, text: str) -> str:
    with pytest.raises(WorkflowError) as error:
        read(file, text)
    return error.value.message


def test_agents_that_judge_may_end_the_rounds_of_their_own_team(file: Path) -> None:
    workflow = read(file, ROUNDS.format(route="{retry_step: work, rounds: 4}"))
    assert {step.name: step.completes for step in workflow.steps} == {
        "before": False,
        "work": False,
        "read": True,
        "try": True,
    }
    assert workflow.steps[3].routes[1].rounds == 4
    assert [step.max_retries for step in workflow.steps] == [2, 1, 2, 7], "rounds are no retries"
    assert read(file, expanded(workflow)) == workflow


def test_without_rounds_nobody_may(file: Path) -> None:
    workflow = read(file, ROUNDS.format(route="{retry_step: work}"))
    assert not any(step.completes for step in workflow.steps)


def test_rounds_need_the_step_that_begins_them(file: Path) -> None:
    message = refused(file, ROUNDS.format(route="{next_step: work, rounds: 4}"))
    assert "on_decision.again has rounds, but no retry_step, which names the first step of a round" in message
    assert "on_decision.again: rounds must be a whole number in 1 … 20, not 0" in refused(
        file, ROUNDS.format(route="{retry_step: work, rounds: 0}")
    )


def test_who_agrees_to_a_file_of_a_repository_is_shown_the_rounds(file: Path, tmp_path: Path) -> None:
    read(file, ROUNDS.format(route="{retry_step: work, rounds: 4}"))
    found = find("rounds", tmp_path, tmp_path / "none")
    claim = claim_of(found, load(file, file.name, tmp_path), tmp_path)
    assert claim is not None
    (decision,) = (command.text for command in claim.commands if command.where == "decision.try")
    assert decision == "done: on, again: back to work for at most 4 rounds"


# The short form -------------------------------------------------------------------------------------------------------


def of_team(members: str, more: str = "", agents: str = "") -> str:
    return f"id: rounds\n{agents}steps:\n  - {{id: pass, team: [{members}]{more}}}\n"


def test_a_team_is_a_step_for_each_member_and_the_last_asks_for_another_round(file: Path) -> None:
    workflow = read(file, of_team("planner, coder, reviewer, tester", ", rounds: 3, timeout: 9"))
    assert [(step.name, step.agent, step.completes, step.minutes) for step in workflow.steps] == [
        ("planner", "planner", False, 9),
        ("coder", "coder", False, 9),
        ("reviewer", "reviewer", True, 9),
        ("tester", "tester", True, 9),
    ]
    assert workflow.steps[3].routes == (
        Route(value="done"),
        Route(value="retry", target="planner", back=True, rounds=3),
    )
    prompts = [step.input for step in workflow.steps]
    assert all(
        "a team that works on the story in rounds: planner, coder, reviewer, tester." in text for text in prompts
    )
    assert ["STORY_COMPLETE: {{current_story_id}}" in text for text in prompts] == [False, False, True, False]
    assert ["VERDICT: done or retry" in text for text in prompts] == [False, False, False, True]
    assert read(file, expanded(workflow)).steps == workflow.steps


def test_a_judge_in_the_middle_of_a_round_may_refuse_the_work_and_the_round_goes_on(file: Path) -> None:
    reviewer = read(file, of_team("coder, reviewer, tester")).steps[1]
    step = pipeline_of((reviewer,)).steps[0]
    for answer, decision in (("STATUS: retry\nISSUES: no tests", "retry"), ("HANDOFF: fine", "done")):
        said = result(step, parse(answer, asked_of(step)))
        assert isinstance(said, Result)
        assert said.decision == decision
    assert not any(route.target for route in reviewer.routes)


def test_the_roles_that_come_with_the_package_have_a_persona_each(file: Path) -> None:
    workflow = read(file, of_team(", ".join(TEAM_ROLES)))
    assert len(workflow.steps) == len(workflow.agents) == LARGEST_TEAM
    assert all(len(agent.persona) == 1 and 100 < len(agent.persona[0][1]) < 200 for agent in workflow.agents)
    assert workflow.steps[-1].routes[1].rounds == 5


def test_the_agents_of_a_file_may_be_in_a_team_and_take_the_place_of_a_role(file: Path) -> None:
    agents = (
        "agents: [{id: coder, role: coding, model: small}, {id: poet, role: verification}]\nprofiles: {testing: b}\n"
    )
    workflow = read(file, of_team("coder, poet, tester", agents=agents))
    assert [(agent.id, agent.model, agent.profile) for agent in workflow.agents] == [
        ("coder", "small", ""),
        ("poet", "", ""),
        ("tester", "", "b"),
    ]
    assert [step.completes for step in workflow.steps] == [False, True, True]


def test_an_agent_with_the_name_of_a_step_type_gets_none_of_its_rights(file: Path) -> None:
    workflow = read(file, of_team("coder, review", agents="agents: [{id: review}]\n"))
    assert [step.type for step in workflow.steps] == ["coder", "custom"]


@pytest.mark.parametrize(
    ("members", "more", "message"),
    [
        ("coder", "", "a team has 2 to 8 members, not 1; write for example team: [coder, reviewer]"),
        ("", "", "a team has 2 to 8 members, not 0"),
        ("planner, codr", "", "rounds.yml:3:21: step 'pass': 'codr' cannot be in a team; did you mean 'coder'?"),
        ("planner, xyz", "", "'xyz' cannot be in a team; it can be planner, architect, coder,"),
        ("coder, coder", "", "'coder' is in the team twice; list a second agent with another id under agents"),
        ("coder, tester", ", input: Go", "input does not belong to a step with a team; workspace.files of an agent"),
        ("coder, tester", "}, {id: tester, input: x", "another step has the id 'tester'; give that step another id"),
        ("coder, tester", "}, {id: q, team: [coder, planner]", "another step has the id 'coder'"),
        ("coder, tester", "}, {id: q, input: x, rounds: 3", "rounds belongs to a step with a team, or to a route with"),
    ],
)
def test_a_team_that_cannot_be_is_refused_with_what_to_write(file: Path, members: str, more: str, message: str) -> None:
    text = of_team(members, more).replace("  - {", "  [{").rstrip() + "]\n"
    assert message in refused(file, text)


def test_a_loop_may_have_a_team(file: Path) -> None:
    text = "id: rounds\nsteps: [{id: each, type: loop, body: [{id: pass, team: [coder, reviewer]}]}]\n"
    assert [step.name for step in read(file, text).story_steps] == ["coder", "reviewer"]
