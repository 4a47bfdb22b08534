"""Rounds in a workflow file: which steps are a team, who may end its rounds, and what a file gets wrong about them."""

from pathlib import Path
from textwrap import dedent

import pytest

from shiftwork.adapters.workflows.loading import load
from shiftwork.adapters.workflows.lookup import find
from shiftwork.adapters.workflows.writing import expanded
from shiftwork.bootstrap.workflow_claims import claim_of
from shiftwork.domain.workflow.workflow import Workflow
from shiftwork.errors import WorkflowError

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
