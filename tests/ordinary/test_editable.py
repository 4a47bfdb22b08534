"""A src layout that is installed as editable in the user's active environment: the tests must see the candidate."""

from collections.abc import Callable
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, kw_only=True)
class Handed:
    """A story that was handed over: to which agent, and what came of it; `base` is where the branch stood before."""

    user: User
    agent: Agent
    base: str
    run: Done


@pytest.fixture
def handed_over(tmp_path: Path) -> Callable[[Story], Handed]:
    def hand_over(story: Story) -> Handed:
        row = replace(ROW, stories=(story,))
        user, agent = built(row, tmp_path), agent_for(row, tmp_path / "agent")
        user.shiftwork("init")
        settle(user, agent)
        base = user.git("rev-parse", "main")
        return Handed(user=user, agent=agent, base=base, run=user.shiftwork("run", "prd.json", "--workflow", "ralph"))

    return hand_over


def test_a_broken_total_does_not_land(handed_over: Callable[[Story], Handed]) -> None:
    handed = handed_over(replace(STORY, right=STORY.broken))
    assert handed.run.returncode != 0, handed.run
    assert handed.user.git("rev-parse", "main") == handed.base
    assert handed.agent.sessions(1) > 1, f"the gate sent nothing back: {handed.run}"
    checked = handed.user.types(ROW.check)
    assert checked.returncode == 0, checked


def test_correct_work_lands_at_its_first_try(handed_over: Callable[[Story], Handed], tmp_path: Path) -> None:
    handed = handed_over(replace(STORY, broken={}))
    assert handed.run.returncode == 0, handed.run
    assert handed.agent.sessions(1) == 1, f"it was sent back: {handed.run}"
    assert landed_on("main", handed.base, handed.user, tmp_path / "fresh").right
