"""Gates that the settings limit to paths: the changed files choose them, and the last story of a run has all."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.views.export import export
from shiftwork.app.views.history import account
from shiftwork.domain.core.ids import run_stream
from shiftwork.domain.gates.gate import Gate, GateReport, NotNeeded
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.state import LandingPolicy, Proof
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story import facts as story_facts
from shiftwork.ports.agent import AgentTask
from shiftwork.testing.builders import asked, run_plan
from tests.app.landing import landing_rig
from tests.app.reported import report
from tests.app.rig import LANDING, SHORT, Rig, done

ALL = Gate(name="all", command="true")
API = Gate(name="api", command="test ! -e api/bad", paths=("api/**",))
WEB = Gate(name="web", command="! cat web/* | grep -q broken", paths=("web/**",))
NO_WEB = NotNeeded(name="web", reason="no changed file matches web/**")
NO_API = NotNeeded(name="api", reason="no changed file matches api/**")


@pytest.fixture
def rig(rig: Rig) -> Rig:
    files = dict.fromkeys(("api/a", "web/w", "shared/s"), "fine\n")
    rig.commit_files({**files, "web/link": Path("../shared/s")}, "packages")
    rig.gates = (ALL, API, WEB)
    return rig


def work(rig: Rig, *writes: Mapping[str, str], ordered: bool = True) -> RunState:
    """A run with a story for each of these changes; the coding step of a story makes its change."""
    files = {f"US-{number:03}": change for number, change in enumerate(writes, start=1)}

    def script(task: AgentTask) -> Turn:
        coding = task.env["SHIFTWORK_STEP_TYPE"] == "coding"
        return done(write=dict(files[task.env["SHIFTWORK_STORY"]])) if coding else done()

    rig.script = script
    stories = [asked(number) for number in range(1, len(writes) + 1)]
    if ordered:
        stories = [
            story if place == 0 else replace(story, depends_on=(stories[place - 1].id,))
            for place, story in enumerate(stories)
        ]
    spec = Spec(title="t", description="d", stories=tuple(stories))
    return asyncio.run(rig.run(spec, workflow=SHORT, parallel=len(writes)))


def verified(rig: Rig) -> list[GateReport]:
    facts = [recorded.fact for recorded in asyncio.run(rig.store.events.read(LANDING))]
    return [fact.report for fact in facts if isinstance(fact, landing_facts.CandidateVerified)]


def of_the_last_landed(rig: Rig) -> GateReport:
    """Checks that run at the same time may end in another order than their candidates land."""
    facts = [recorded.fact for recorded in asyncio.run(rig.store.events.read(LANDING))]
    landed = [fact.requests[-1] for fact in facts if isinstance(fact, landing_facts.BaseMoved)][-1]
    checked = [fact for fact in facts if isinstance(fact, landing_facts.CandidateVerified)]
    return next(fact.report for fact in reversed(checked) if fact.request == landed)


def ran(report: GateReport) -> list[str]:
    return [result.name for result in report.results]


def test_a_change_runs_the_gates_of_its_files_and_the_last_story_runs_all(rig: Rig) -> None:
    run = work(rig, {"api/b": "new\n"}, {"web/v": "new\n"}, {"README.md": "new\n"}, {"api/c": "new\n"})
    assert run.status is RunStatus.COMPLETED
    first, second, third, last = verified(rig)
    assert (ran(first), first.not_needed) == (["all", "api"], (NO_WEB,))
    assert (ran(second), second.not_needed) == (["all", "web"], (NO_API,))
    assert (ran(third), third.not_needed) == (["all"], (NO_API, NO_WEB))
    assert (ran(last), last.not_needed) == (["all", "api", "web"], ())


def test_what_was_not_needed_is_shown_with_the_reason(rig: Rig) -> None:
    run = work(rig, {"api/b": "new\n"}, {"web/v": "new\n"})
    known = asyncio.run(account(rig.store.events, run.given.run))
    text = report(known)
    assert "web was not needed: no changed file matches web/" in text
    assert "gate web was not needed: no changed file matches web/" in text
    assert "Shiftwork-Unproved" not in rig.read_message("main~1")
    proofs = export(known, rig.repo)["account"]["stories"]
    assert proofs["US-001"]["certificate"]["not_needed"] == [{"name": "web", "reason": NO_WEB.reason}]
    assert "not_needed" not in proofs["US-002"]["certificate"]


def test_a_file_that_a_link_leads_to_needs_the_gate_of_the_link(rig: Rig) -> None:
    run = work(rig, {"shared/s": "broken\n"}, {"README.md": "new\n"})
    assert run.status is RunStatus.FAILED
    refused = [fact for fact in asyncio.run(rig.facts(run)) if isinstance(fact, story_facts.LandingRefused)]
    assert refused[0].detail.startswith("gate web failed")


def test_without_a_gate_for_all_files_a_change_elsewhere_runs_every_gate(rig: Rig) -> None:
    rig.gates = (API, WEB)
    work(rig, {"README.md": "new\n"}, {"api/b": "new\n"})
    assert ran(verified(rig)[0]) == ["api", "web"]


@pytest.mark.parametrize("proof", list(Proof))
def test_whatever_lands_last_of_stories_side_by_side_has_passed_all_gates(rig: Rig, proof: Proof) -> None:
    rig.landing = LandingPolicy(proof=proof)
    run = work(rig, {"api/b": "new\n"}, {"api/c": "new\n"}, {"api/d": "new\n"}, ordered=False)
    assert run.status is RunStatus.COMPLETED
    assert ran(of_the_last_landed(rig)) == ["all", "api", "web"]


@pytest.mark.parametrize("proof", list(Proof))
def test_the_last_story_has_passed_all_gates_where_the_queue_is_faster_than_the_stories(rig: Rig, proof: Proof) -> None:
    """No story has recorded its request yet: the queue has read both, and nothing comes after the second."""
    rig.landing = LandingPolicy(proof=proof)

    async def both() -> None:
        async with rig.open() as context:
            plan = replace(run_plan(asked(1), asked(2)), run=landing_rig.RUN)
            started = run_facts.RunStarted(at=1.0, plan=plan)
            await context.events.append(run_stream(landing_rig.RUN), [started], expected=0, key="start")
            requests = [await landing_rig.work(context, f"US-00{n}", {f"api/{n}": "new\n"}) for n in (1, 2)]
            await landing_rig.land(context, *requests)

    asyncio.run(both())
    assert ran(of_the_last_landed(rig)) == ["all", "api", "web"]


def test_a_change_that_may_end_gates_early_is_judged_by_all(rig: Rig) -> None:
    work(rig, {"api/price.py": "import os\nos._exit(0)\n"}, {"README.md": "new\n"})
    assert ran(verified(rig)[0]) == ["all", "api", "web"]


def test_a_new_test_outside_of_all_paths_runs_no_further_gate(rig: Rig) -> None:
    new = {"tests/test_b.py": "def test_b():\n    pass\n", "tests/__init__.py": "", "api/b": "new\n"}
    work(rig, new, {"README.md": "new\n"})
    first = verified(rig)[0]
    assert (set(ran(first)), first.not_needed) == ({"all", "api"}, (NO_WEB,))


def test_an_edited_test_outside_of_all_paths_runs_every_gate(rig: Rig) -> None:
    rig.commit_files({"tests/test_a.py": "def test_a():\n    pass\n"}, "a test")
    work(rig, {"tests/test_a.py": "def test_a():\n    assert True\n", "api/b": "new\n"}, {"README.md": "new\n"})
    assert {"all", "api", "web"} <= set(ran(verified(rig)[0]))


def test_changed_checks_outside_of_all_paths_are_judged_by_all(rig: Rig) -> None:
    work(rig, {"conftest.py": "import os\n", "api/b": "new\n"}, {"README.md": "new\n"})
    assert {"all", "api", "web"} <= set(ran(verified(rig)[0]))
