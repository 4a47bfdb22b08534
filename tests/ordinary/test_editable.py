"""A src layout that is installed as editable in the user's active environment: the tests must see the candidate."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.ordinary.agent import Agent, agent_for
from tests.ordinary.every import ROWS
from tests.ordinary.landed import landed_on
from tests.ordinary.row import Story
from tests.ordinary.trial import Done, built, settle
from tests.ordinary.user import User

pytestmark = [pytest.mark.ordinary, pytest.mark.slow, pytest.mark.timeout(1800)]

ROW = ROWS["python-src-editable"]
STORY = ROW.stories[0]


def test_a_broken_total_does_not_land_and_correct_work_lands_at_its_first_try(tmp_path: Path) -> None:
    """In one repository: to install it and its environment is most of what this takes."""
    user = built(replace(ROW, stories=(STORY,)), tmp_path)
    user.shiftwork("init")
    settle(user, agent_for(ROW, tmp_path / "agent"))
    base = user.git("rev-parse", "main")
    assert_it_does_not_land(user, *handed_over(user, replace(STORY, right=STORY.broken), tmp_path / "agent"))
    assert user.git("rev-parse", "main") == base
    run, agent = handed_over(user, replace(STORY, broken={}), tmp_path / "agent")
    assert run.returncode == 0, run
    assert agent.sessions(1) == 1, f"it was sent back: {run}"
    assert landed_on("main", base, user, tmp_path / "fresh").right


def handed_over(user: User, story: Story, folder: Path) -> tuple[Done, Agent]:
    """To an agent that knows this story and no session of an earlier one."""
    shutil.rmtree(folder)
    agent = agent_for(replace(ROW, stories=(story,)), folder)
    return user.shiftwork("run", "prd.json", "--workflow", "ralph"), agent


def assert_it_does_not_land(user: User, run: Done, agent: Agent) -> None:
    assert run.returncode != 0, run
    assert agent.sessions(1) > 1, f"the gate sent nothing back: {run}"
    checked = user.types(ROW.check)
    assert checked.returncode == 0, checked
