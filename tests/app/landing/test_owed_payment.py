"""Gates that landings have skipped are owed by the branch, and run on its tip where no later landing runs them."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.folds import LANDING as QUEUE
from shiftwork.app.folds import load
from shiftwork.app.landing.owed_payment import run_owed_gates
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing.owed_gates import OwedGate, owed_text
from shiftwork.domain.landing.state import LandingPolicy, Proof, QueueState
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.ports.agent import AgentTask, Ending
from shiftwork.testing.builders import asked
from tests.app.rig import LANDING, SHORT, Rig, done

ALL = Gate(name="all", command="true")
API = Gate(name="api", command="! grep -rq broken shared", paths=("api/**",))


@pytest.fixture
def rig(rig: Rig) -> Rig:
    rig.commit_files(dict.fromkeys(("api/a", "shared/s"), "fine\n"), "packages")
    rig.gates = (ALL, API)
    return rig


def with_last_failing(rig: Rig, *writes: Mapping[str, str]) -> RunState:
    """A run with a story for each of these changes, one after the other, and a last story whose agent fails."""
    files = {f"US-{number:03}": change for number, change in enumerate(writes, start=1)}

    def script(task: AgentTask) -> Turn:
        change = files.get(task.env["SHIFTWORK_STORY"])
        if change is None:
            return Turn(ending=Ending.CRASHED, detail="it fails")
        return done(write=dict(change)) if task.env["SHIFTWORK_STEP_TYPE"] == "coding" else done()

    rig.script = script
    stories = [asked(number) for number in range(1, len(writes) + 2)]
    stories = [
        replace(story, depends_on=(stories[place - 1].id,) if place else ()) for place, story in enumerate(stories)
    ]
    return asyncio.run(rig.run(Spec(title="t", description="d", stories=tuple(stories)), workflow=SHORT))


def owed(rig: Rig) -> tuple[OwedGate, ...]:
    return asyncio.run(load(rig.store.events, QUEUE, LANDING)).owed


def paid(rig: Rig) -> QueueState:
    async def pay() -> QueueState:
        async with rig.open() as context:
            return await run_owed_gates(context, LANDING)

    return asyncio.run(pay())


def story_of(gate: OwedGate) -> str:
    return gate.culprit.story if gate.culprit else ""


@pytest.mark.parametrize("proof", list(Proof))
def test_a_gate_that_the_last_landing_would_have_run_is_owed_where_that_never_comes(rig: Rig, proof: Proof) -> None:
    rig.landing = LandingPolicy(proof=proof)
    start = rig.find_commit()
    run = with_last_failing(rig, {"shared/s": "new\n"}, {"shared/t": "new\n"})
    assert run.status is RunStatus.FAILED
    (debt,) = owed(rig)
    assert (debt.name, debt.since, [item.story for item in debt.landed]) == ("api", start, ["US-001", "US-002"])
    assert owed_text(debt, "main") == f"api has not run on main since {start[:10]}"
    assert paid(rig).owed == owed(rig) == ()
    assert paid(rig).owed == (), "nothing is owed, and nothing runs"


def test_a_red_gate_names_the_story_that_made_it_red(rig: Rig) -> None:
    changes = ({"shared/a": "new\n"}, {"shared/s": "broken\n"}, {"shared/b": "new\n"}, {"shared/c": "new\n"})
    with_last_failing(rig, *changes)
    (red,) = paid(rig).owed
    assert (story_of(red), red.red) == ("US-002", rig.find_commit())
    assert owed_text(red, "main").startswith("api is red on main since US-002 landed as ")
    version = asyncio.run(rig.store.events.version(LANDING))
    assert paid(rig).owed == (red,)
    assert asyncio.run(rig.store.events.version(LANDING)) == version, "it does not run again on the same tip"
    rig.commit_files({"shared/s": "fine\n"}, "repaired")
    assert paid(rig).owed == ()


def test_a_landing_that_runs_the_gate_pays(rig: Rig) -> None:
    with_last_failing(rig, {"shared/s": "new\n"}, {"api/b": "new\n"})
    assert owed(rig) == ()


def test_a_commit_of_somebody_else_is_not_blamed_on_a_story(rig: Rig) -> None:
    with_last_failing(rig, {"shared/a": "new\n"})
    rig.commit_files({"shared/s": "broken\n"}, "by hand")
    (red,) = paid(rig).owed
    assert (story_of(red), red.red) == ("", rig.find_commit())
    assert "no story of these runs is known to have made it so" in owed_text(red, "main")


def test_what_was_red_below_the_first_landing_is_not_blamed_on_it(rig: Rig) -> None:
    rig.commit_files({"shared/s": "broken\n"}, "by hand")
    with_last_failing(rig, {"shared/a": "new\n"})
    assert story_of(paid(rig).owed[0]) == ""


def test_a_gate_that_the_settings_have_no_more_is_not_owed(rig: Rig) -> None:
    with_last_failing(rig, {"shared/a": "new\n"})
    rig.gates = (ALL,)
    assert paid(rig).owed == ()


def test_a_landing_whose_commit_is_gone_is_not_blamed(rig: Rig) -> None:
    with_last_failing(rig, {"shared/s": "broken\n"}, {"shared/a": "new\n"})
    (debt,) = owed(rig)
    rig.commit_files({"shared/b": "new\n"}, "by hand")
    assert rig.fake
    del rig.fake.store.values[debt.landed[0].commit]
    assert story_of(paid(rig).owed[0]) == ""
