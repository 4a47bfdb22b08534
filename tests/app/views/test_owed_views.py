"""The gates that a branch owes, with the commands to type."""

import asyncio

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.views.owed_views import next_commands, owed_lines, owed_on
from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.landing.owed_gates import OwedGate, Unchecked
from shiftwork.domain.landing.state import QueueState

LANDED = Unchecked(run=RunId("r1"), story=StoryId("US-001"), commit=Commit("c" * 40), base=Commit("b" * 40))
NOT_RUN = OwedGate(name="api", landed=(LANDED,))
RED = OwedGate(name="docs", landed=(LANDED,), red=Commit("d" * 40), culprit=LANDED)
NOBODYS = OwedGate(name="lint", landed=(LANDED,), red=Commit("d" * 40))


def test_a_debt_says_what_to_type_and_nothing_is_undone_by_itself() -> None:
    lines = owed_lines(QueueState(owed=(NOT_RUN, RED, NOBODYS)), "main")
    assert [(line.gate, line.red, line.run, line.story) for line in lines] == [
        ("api", False, "", ""),
        ("docs", True, "r1", "US-001"),
        ("lint", True, "", ""),
    ]
    assert lines[0].note == "api has not run on main since bbbbbbbbbb"
    assert [command for command, _ in next_commands(lines)] == [
        "shiftwork check",
        "shiftwork undo US-001 --run r1",
        "shiftwork retry US-001 --run r1",
    ]
    assert not next_commands(lines[2:])


def test_a_branch_on_which_nothing_has_landed_owes_nothing() -> None:
    assert asyncio.run(owed_on(MemoryStore().events, "project", "main")) == ()
