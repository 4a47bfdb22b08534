"""Gates that do not see the change, and work that changes its own dependencies: neither lands without a report."""

import asyncio
import sys

import pytest

from shiftwork.app.commands.certificates import recorded
from shiftwork.app.commands.replies import Reply, Word, reply
from shiftwork.app.commands.runs import wait_for
from shiftwork.app.landing.canary import Examiner, explained, refused, with_sights
from shiftwork.app.landing.loaded_code import loaded_key
from shiftwork.app.runtime.context import GateBegun
from shiftwork.domain.canary.canary_verdict import GateSight, KnownLoaded, Sight
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.criterion_gates import Needed
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import HoldCause
from shiftwork.domain.tampering.findings import Protection
from shiftwork.ports.agent import AgentTask
from tests.app.landing.proof_rig import STORY, asked, begun
from tests.app.rig import SHORT, Rig, done

UNIT = Gate(name="test", command="python3 -m unittest discover -s tests -t .")
CART = "TOTAL = 1\n"
TESTS = """\
import unittest
import cart

class T(unittest.TestCase):
    def test_total(self):
        assert cart.TOTAL == 1
"""


def python_project(rig: Rig, **more: str) -> None:
    files = {"cart.py": CART, "tests/test_cart.py": TESTS, "tests/__init__.py": "", **more}
    rig.commit_files(files, "a project")


def writing(**files: str):  # type: ignore[no-untyped-def] # noqa: ANN201 - a script of the rig's
    def script(task: AgentTask):  # type: ignore[no-untyped-def] # noqa: ANN202 - as above
        return done(write=dict(files)) if task.env["SHIFTWORK_STEP_TYPE"] == "coding" else done()

    return script


def test_a_story_that_makes_its_gates_blind_does_not_land(git_rig: Rig) -> None:
    """The runner's command is in a file that holds dependencies too: that one is reported, and not put back."""
    python_project(git_rig, **{"turbo.json": "python3 -m unittest discover -s tests -t .\n"})
    git_rig.gates = (Gate(name="test", command="sh turbo.json"),)
    blinding = {"turbo.json": "true\n", "cart.py": "TOTAL = 2\n"}
    git_rig.script = writing(**blinding)
    run = asyncio.run(git_rig.run(workflow=SHORT))
    assert run.status is RunStatus.FAILED
    story = asyncio.run(git_rig.story(run))
    assert "is blind" in story.outcome.reason
    assert "not noticed: cart.py" in story.outcome.reason
    assert len(git_rig.log()) == 2


@pytest.mark.parametrize("allowed", [False, True])
def test_a_blind_gate_lands_nothing_unless_that_is_allowed(rig: Rig, *, allowed: bool) -> None:
    python_project(rig)
    rig.gates = (Gate(name="test", command="true", blind=allowed),)
    rig.script = writing(**{"cart.py": "TOTAL = 3\n"})

    async def scenario() -> None:
        run = await rig.run(workflow=SHORT)
        paper = await recorded(rig.store.events, run.given.run, STORY)
        assert (paper is not None) is allowed
        if paper:
            assert [(line.name, line.blind) for line in paper.certificate.gates] == [("test", True)]

    asyncio.run(scenario())
    message = rig.read_message()
    assert ("does not notice broken sources" in message) is allowed


def test_a_gate_that_is_no_test_is_never_called_blind(rig: Rig) -> None:
    python_project(rig)
    rig.gates = (UNIT, Gate(name="readme", command="test -e cart.py"), Gate(name="lint", command="true"))
    rig.script = writing(**{"cart.py": "TOTAL = 1  # one\n"})

    async def scenario() -> None:
        async with rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=rig.gates, protection=Protection())
            sights = await examiner.sights(await examiner.base(rig.find_commit(), "base"), "base")
            assert [(sight.gate, sight.sight) for sight in sights] == [("test", Sight.SEES)]
        run = await rig.run(workflow=SHORT)
        paper = await recorded(rig.store.events, run.given.run, STORY)
        assert paper
        assert not any(line.blind for line in paper.certificate.gates)

    asyncio.run(scenario())
    assert "Shiftwork-Unproved" not in rig.read_message()


@pytest.mark.parametrize("word", [Word.APPROVE, Word.REJECT])
def test_a_change_of_dependencies_that_cannot_be_installed_waits_for_a_person(git_rig: Rig, word: Word) -> None:
    git_rig.setup = "test ! -e uv.lock || { echo no network; exit 1; }"
    git_rig.script = writing(**{"work.txt": "work\n", "uv.lock": "new\n"})

    async def scenario() -> None:
        async with git_rig.open() as context:
            run = await begun(context, asked("work.txt exists"), ProofPolicy.TRUSTING)
            await git_rig.until(lambda: any(isinstance(seen.what, story_facts.StoryHeld) for seen in git_rig.seen))
            held = (await git_rig.story(run)).waiting.hold
            assert held is not None
            assert held.cause is HoldCause.DEPENDENCIES
            assert "no network" in held.detail
            await reply(context.events, context.inbox, Reply(run=run, story=STORY, word=word, text=""))
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
            assert state.status is (RunStatus.COMPLETED if word is Word.APPROVE else RunStatus.FAILED)

    asyncio.run(scenario())
    assert len(git_rig.log()) == (2 if word is Word.APPROVE else 1)


# Before any work --------------------------------------------------------------------------------------------------


def test_the_base_is_examined_once_and_then_known(rig: Rig) -> None:
    python_project(rig)
    gate_sights: list[GateSight] = []

    async def scenario() -> None:
        async with rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=(UNIT,), protection=Protection())
            tip = rig.find_commit()
            assert await examiner.known(tip) is None
            report = await examiner.base(tip, "base")
            assert await examiner.known(tip) is None, "the base is green, and what the gate sees is not known"
            sights = await examiner.sights(report, "base", on_sight=gate_sights.append)
            assert await examiner.known(tip) == sights == tuple(gate_sights)
            assert await examiner.sights(report, "base") == sights
            assert [sight.sight for sight in sights] == [Sight.SEES]
            assert (await examiner.base(tip, "base")).cached

    asyncio.run(scenario())


def test_what_has_landed_is_known_as_a_base(rig: Rig) -> None:
    python_project(rig)
    rig.gates = (UNIT,)
    rig.script = writing(**{"cart.py": "TOTAL = 1\nPIECES = 3\n"})

    async def scenario() -> None:
        await rig.run(workflow=SHORT)
        async with rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=(UNIT,), protection=Protection())
            sights = await examiner.known(rig.find_commit())
            assert sights is not None, "the candidate was green, and what its gate sees was examined then"
            assert [sight.sight for sight in sights] == [Sight.SEES]

    asyncio.run(scenario())
    assert len(rig.log()) == 3


def test_a_gate_that_runs_with_broken_sources_on_a_candidate_is_shown(rig: Rig) -> None:
    python_project(rig)
    rig.gates = (UNIT,)
    rig.script = writing(**{"cart.py": "TOTAL = 1\n", "shop/price.py": "PRICE = 1\n"})
    asyncio.run(rig.run(workflow=SHORT))
    shown = [(seen.what.gate, seen.what.where) for seen in rig.seen if isinstance(seen.what, GateBegun)]
    assert ("test", "with broken sources") in shown


def test_a_red_base_is_not_remembered_and_its_gate_not_judged(rig: Rig) -> None:
    python_project(rig)
    red = Gate(name="test", command="false")

    async def scenario() -> None:
        async with rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=(red,), protection=Protection())
            tip = rig.find_commit()
            report = await examiner.base(tip, "base")
            assert [sight.sight for sight in await examiner.sights(report, "base")] == [Sight.UNKNOWN]
            assert await examiner.known(tip) is None
            assert not (await examiner.base(tip, "base", again=True)).passed

    asyncio.run(scenario())


def test_of_work_that_may_leave_early_nothing_is_known_from_before(rig: Rig) -> None:
    python_project(rig)

    async def scenario() -> None:
        async with rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=(UNIT,), protection=Protection())
            tip = rig.find_commit()
            await examiner.sights(await examiner.base(tip, "base"), "base")
            rig.commit_files({"tests/test_a.py": "import os\nos._exit(0)\n"}, "leaves")
            report = await examiner.base(rig.find_commit(), "base")
            sights = await examiner.candidate_sights(report, "base", tip)
            assert [sight.sight for sight in sights] == [Sight.SEES], "as remembered"
            sights = await examiner.candidate_sights(report, "base", tip, suspect=True)
            assert [sight.sight for sight in sights] == [Sight.BLIND]

    asyncio.run(scenario())


def test_a_verdict_that_was_red_for_want_of_tests_is_found_again(rig: Rig) -> None:
    """Tests are added meanwhile, and nothing else that it is remembered by has changed."""
    python_project(rig, **{"tests/test_cart.py": "import unittest\n"})
    passing = Gate(name="test", command="python3 -m unittest discover -s tests -t . || test $? = 5")

    async def scenario() -> None:
        async with rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=(passing,), protection=Protection())
            tip = rig.find_commit()
            (sight,) = await examiner.sights(await examiner.base(tip, "base"), "base")
            assert sight.sight is Sight.BLIND
            rig.commit_files({"tests/test_cart.py": TESTS})
            tip = rig.find_commit()
            (sight,) = await examiner.sights(await examiner.base(tip, "base"), "base")
            assert sight.sight is Sight.SEES

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "story",
    [
        {
            "tests/test_cart.py": None,
            "tests/test_other.py": "import unittest\nclass T(unittest.TestCase):\n  def test_a(self): pass\n",
        },
        {"generated/cart.py": CART, "cart.py": "from generated.cart import *\n"},
    ],
)
def test_a_gate_that_saw_the_base_must_see_the_candidate(rig: Rig, story: dict[str, str | None]) -> None:
    python_project(rig)

    async def scenario() -> None:
        async with rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=(UNIT,), protection=Protection())
            base = rig.find_commit()
            (sight,) = await examiner.sights(await examiner.base(base, "base"), "base")
            assert sight.seen == (".",)
            rig.commit_files(story)
            candidate = rig.find_commit()
            (sight,) = await examiner.candidate_sights(await examiner.base(candidate, "c"), "c", base)
            expected = Sight.BLIND if None in story.values() else Sight.SEES
            assert sight.sight is expected

    asyncio.run(scenario())


def test_work_in_a_source_root_that_a_gate_misses_is_not_proved_by_it(rig: Rig) -> None:
    python_project(rig, **{"shop/__init__.py": "", "shop/price.py": "PRICE = 1\n"})
    rig.gates = (UNIT,)
    rig.script = writing(**{"shop/price.py": "PRICE = (((\n"})

    async def scenario() -> None:
        run = await rig.run(workflow=SHORT)
        paper = await recorded(rig.store.events, run.given.run, STORY)
        assert paper
        assert [(line.name, line.blind) for line in paper.certificate.gates] == [("test", True)]

    asyncio.run(scenario())


SIGHTS = (
    GateSight(gate="test", sight=Sight.BLIND, why="It stayed green.", files=tuple(f"{n}.py" for n in range(9))),
    GateSight(gate="unit", sight=Sight.SEES),
)
GATES = tuple(Gate(name=name, command="true") for name in ("test", "lint", "unit"))


def test_only_a_blind_gate_is_refused() -> None:
    report = GateReport(
        commit=Commit("c"), results=tuple(GateResult(name=g.name, passed=True, seconds=1) for g in GATES)
    )
    judged = with_sights(report, SIGHTS, GATES)
    assert [(result.name, result.passed, result.blind) for result in judged.results] == [
        ("test", False, True),
        ("lint", True, False),
        ("unit", True, False),
    ]
    assert refused(SIGHTS, GATES) == SIGHTS[:1]
    assert "not noticed: 0.py, 1.py, 2.py, 3.py, 4.py and more" in explained(SIGHTS[0])


def test_what_setup_could_not_make_before_is_asked_about_as_well(git_rig: Rig) -> None:
    """The manifests are the same, and a file is gone in whose place the setup command may make something."""
    git_rig.commit_files({".gitignore": "*.log\n", "one.log": "tracked\n"}, "a log")
    git_rig.setup = "ls *.log"

    def script(task: AgentTask):  # type: ignore[no-untyped-def] # noqa: ANN202 - a script of the git_rig's
        coding = task.env["SHIFTWORK_STEP_TYPE"] == "coding"
        return done(write={"work.txt": "work\n"}, delete=("one.log",)) if coding else done()

    git_rig.script = script

    async def scenario() -> None:
        async with git_rig.open() as context:
            run = await begun(context, asked("work.txt exists"), ProofPolicy.TRUSTING)
            await git_rig.until(lambda: any(isinstance(seen.what, story_facts.StoryHeld) for seen in git_rig.seen))
            held = (await git_rig.story(run)).waiting.hold
            assert held is not None
            assert held.cause is HoldCause.DEPENDENCIES

    asyncio.run(scenario())


def test_programs_and_folders_that_gates_do_not_have_on_a_commit_are_found(rig: Rig) -> None:
    python_project(rig)
    wanted = (
        Needed(gate="a", folder="tests"),
        Needed(gate="b", program="cart.py"),
        Needed(gate="c", program="python3"),
        Needed(gate="d", program="no-such-check"),
        Needed(gate="e", folder="web"),
    )

    async def scenario() -> None:
        async with rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=(), protection=Protection())
            tip = rig.find_commit()
            assert await examiner.find_lacking(tip, wanted, "m") == wanted[3:]
            assert await examiner.find_lacking(tip, (*wanted[:2], wanted[4]), "m") == wanted[4:]

    asyncio.run(scenario())


def test_what_a_gate_loads_is_measured_where_it_runs_on_the_base(git_rig: Rig) -> None:
    git_rig.commit_files({"price.py": "", "other.py": "", "README.md": "", "test_price.py": "import price\n"})
    gate = Gate(name="test", command=f"{sys.executable} -B -c 'import test_price'", kind="test")

    async def scenario() -> None:
        async with git_rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=(gate,), protection=Protection())
            tip = git_rig.find_commit()
            assert (await examiner.base(tip, "base")).passed
            loaded = context.canary.recall_loaded(loaded_key(gate, (await context.canary.situation(tip)).setup))
            assert loaded == KnownLoaded(files=("price.py", "test_price.py"), unopened=("other.py",))

    asyncio.run(scenario())


def test_what_a_gate_sees_is_examined_again_where_a_plugin_of_its_runner_has_changed(rig: Rig) -> None:
    python_project(rig, **{"pytest.ini": "[pytest]\naddopts = -p plugin\n", "plugin.py": "ONE = 1\n"})

    async def scenario() -> None:
        async with rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=(UNIT,), protection=Protection())
            tip = rig.find_commit()
            await examiner.sights(await examiner.base(tip, "base"), "base")
            assert await examiner.known(tip) is not None
            rig.commit_files({"plugin.py": "ONE = 2\n"})
            changed = rig.find_commit()
            await examiner.base(changed, "base")
            assert await examiner.known(changed) is None

    asyncio.run(scenario())


def keep_loaded(rig: Rig, *files: str) -> None:
    """As the gates' run on the base leaves it."""

    async def scenario() -> None:
        async with rig.open() as context:
            setup = (await context.canary.situation(rig.find_commit())).setup
            context.canary.keep_loaded(loaded_key(UNIT, setup), KnownLoaded(files=files))

    asyncio.run(scenario())


@pytest.mark.parametrize(("path", "is_known"), [("checking.py", False), ("cart.py", True)])
def test_what_a_gate_sees_is_examined_again_where_code_has_changed_that_only_its_tests_load(
    rig: Rig, path: str, *, is_known: bool
) -> None:
    """Known only from the measurement: neither its name nor its folder says that it belongs to tests."""
    helper = {"checking.py": "ONE = 1\n", "tests/test_cart.py": f"import checking\n{TESTS}"}
    python_project(rig, **helper)
    keep_loaded(rig, "cart.py", "checking.py", "tests/test_cart.py")

    async def scenario() -> None:
        async with rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=(UNIT,), protection=Protection())
            await examiner.sights(await examiner.base(rig.find_commit(), "base"), "base")
            rig.commit_files({path: "TOTAL = 1\nMORE = 2\n"})
            changed = rig.find_commit()
            await examiner.base(changed, "base")
            assert (await examiner.known(changed) is not None) is is_known

    asyncio.run(scenario())


def test_of_a_gate_that_opens_no_test_it_is_unknown_what_it_loads(git_rig: Rig) -> None:
    """It has taken its result, or what it runs, from a cache."""
    git_rig.commit_files({"price.py": "", "test_price.py": "import price\n"})
    gates = (
        Gate(name="cached", command="cat price.py", kind="test"),
        Gate(name="test", command="cat price.py test_price.py", kind="test"),
        Gate(name="lint", command="cat price.py test_price.py", kind="lint"),
    )

    async def scenario() -> None:
        async with git_rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=gates, protection=Protection())
            tip = git_rig.find_commit()
            assert (await examiner.base(tip, "base")).passed
            setup = (await context.canary.situation(tip)).setup
            known = [context.canary.recall_loaded(loaded_key(gate, setup)) for gate in gates]
            assert known == [None, KnownLoaded(files=("price.py", "test_price.py")), None]

    asyncio.run(scenario())


SUPPORT = {"support/__init__.py": "", "support/same.py": "def same(a, b):\n    assert a == b\n"}
IMPORTING = "from cart import TOTAL\nfrom support.same import same\n"


def test_a_gate_that_loads_only_the_helpers_of_tests_does_not_see_the_product(rig: Rig) -> None:
    """Helpers are not product: a gate proves nothing by noticing that they are broken."""
    python_project(rig, **SUPPORT, **{"tests/test_cart.py": IMPORTING})
    gate = Gate(name="test", command=f"{sys.executable} -B -c 'import support.same'")

    async def scenario() -> None:
        async with rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=(gate,), protection=Protection())
            (sight,) = await examiner.sights(await examiner.base(rig.find_commit(), "base"), "base")
            assert (sight.sight, sight.missed) == (Sight.BLIND, (".",))

    asyncio.run(scenario())


def test_code_that_has_become_a_helper_of_tests_is_not_lost_to_their_gate(rig: Rig) -> None:
    more = f"import unittest\n{IMPORTING}\nclass T(unittest.TestCase):\n    def test(self): same(TOTAL, TOTAL)\n"
    python_project(rig, **SUPPORT, **{"cart.py": f"import support.same\n{CART}", "tests/test_cart.py": more})

    async def scenario() -> None:
        async with rig.open() as context:
            examiner = Examiner(runner=context.gates, canary=context.canary, gates=(UNIT,), protection=Protection())
            base = rig.find_commit()
            (sight,) = await examiner.sights(await examiner.base(base, "base"), "base")
            assert sight.seen == (".", "support")
            rig.commit_files({"cart.py": CART, "tests/test_cart.py": f"{more}\n"})
            candidate = rig.find_commit()
            (sight,) = await examiner.candidate_sights(await examiner.base(candidate, "c"), "c", base)
            assert (sight.sight, sight.seen) == (Sight.SEES, (".",))

    asyncio.run(scenario())
