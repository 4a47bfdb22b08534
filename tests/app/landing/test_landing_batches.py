"""Several stories that want to land at once: together, in order, each proved, and each for its own faults only."""

import asyncio
import itertools
from pathlib import Path

import pytest

from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.batching import SLOW_SECONDS
from shiftwork.domain.landing.state import LandingPolicy, Proof
from shiftwork.domain.proof.case import Case
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion
from shiftwork.domain.tampering.findings import Inspection
from shiftwork.records import replace
from tests.app.landing.landing_rig import answer, drain, land, post, queue, red_commits, titles, work
from tests.app.projects import git
from tests.app.rig import LANDING, Rig

NO_BAD_FILE = Gate(name="no-bad", command="! grep -l broken * || { echo one is broken; exit 1; }")


@pytest.fixture
def several(rig: Rig) -> Rig:
    rig.gates = (NO_BAD_FILE,)
    return rig


@pytest.fixture
def git_several(git_rig: Rig) -> Rig:
    git_rig.gates = (NO_BAD_FILE,)
    return git_rig


def test_stories_that_wait_together_land_together_each_as_one_commit(git_several: Rig) -> None:
    git_several.landing = LandingPolicy(at_once=4)  # one after the other they might be slow, and land by twos

    async def scenario() -> None:
        async with git_several.open() as context:
            asked = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B", "C", "D")]
            landing = await land(context, *asked)
        assert landing.landed == {"A", "B", "C", "D"}
        (moved,) = landing.of(landing_facts.BaseMoved)
        assert [key.split("/")[1] for key in moved.requests] == ["A", "B", "C", "D"]
        commits = git_several.project.list_commits("main")[-2::-1]
        assert [landing.answers[name]["commit"] for name in "ABCD"] == commits
        assert moved.commits == tuple(commits)
        verified = [fact.report.commit for fact in landing.of(landing_facts.CandidateVerified)]
        trees, checked = [[git_several.project.find_tree(commit) for commit in each] for each in (commits, verified)]
        assert sorted(checked) == sorted(trees), "what landed has the trees that were checked"
        assert (await queue(git_several)).entries == ()

    asyncio.run(scenario())
    assert git_several.log() == titles("A", "B", "C", "D")
    assert git(git_several.repo, "status", "--porcelain") == ""


@pytest.mark.parametrize("proof", Proof)
def test_the_culprit_is_sent_back_and_the_others_land(several: Rig, proof: Proof) -> None:
    several.landing = LandingPolicy(proof=proof)

    async def scenario() -> None:
        async with several.open() as context:
            bad = await work(context, "C", {"C.txt": "broken\n"})
            good = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B", "D", "E")]
            landing = await land(context, good[0], good[1], bad, *good[2:])
        assert landing.landed == {"A", "B", "D", "E"}
        refused = landing.answers["C"]
        assert (refused["cause"], refused["base"]) == (Refusal.GATES, landing.answers["B"]["commit"])
        assert "one is broken" in refused["detail"]
        assert "C.txt" in refused["detail"]

    asyncio.run(scenario())
    assert several.log() == titles("A", "B", "D", "E")
    assert red_commits(several, NO_BAD_FILE.command) == []


def test_a_weakened_test_in_front_of_the_last_of_a_batch_does_not_help(several: Rig) -> None:
    """The gates run on the last one for both, and with the original tests of both."""
    several.commit_files({"check.sh": "! grep broken *.txt\n"})
    several.gates = (Gate(name="test", command="sh check.sh"),)
    several.landing = LandingPolicy(proof=Proof.TIP)

    async def scenario() -> None:
        async with several.open() as context:
            weakened = await work(context, "A", {"A.txt": "broken\n", "check.sh": "true\n"})
            weakened = replace(weakened, inspection=Inspection(back=("check.sh",)))
            landing = await land(context, weakened, await work(context, "B", {"B.txt": "w\n"}))
        assert landing.landed == {"B"}
        assert landing.answers["A"]["cause"] == Refusal.GATES

    asyncio.run(scenario())
    assert several.read_file("check.sh") == "! grep broken *.txt\n"


@pytest.mark.parametrize(("proof", "lands"), [(Proof.EACH, {"mend"}), (Proof.TIP, {"break", "mend"})])
def test_a_commit_that_only_the_next_one_repairs_lands_only_where_the_tip_is_proof_enough(
    several: Rig, proof: Proof, lands: set[str]
) -> None:
    several.landing = LandingPolicy(proof=proof)
    gate = Gate(name="pair", command="test ! -e broken.txt || test -e mended.txt")
    several.gates = (gate,)

    async def scenario() -> None:
        async with several.open() as context:
            breaks = await work(context, "break", {"broken.txt": "x\n"})
            repairs = await work(context, "mend", {"mended.txt": "x\n"})
            landing = await land(context, breaks, repairs)
        assert landing.landed == lands

    asyncio.run(scenario())
    assert red_commits(several, gate.command) == (["feat: break - Do break"] if proof is Proof.TIP else [])


def test_pain_08_two_stories_on_one_line_the_second_is_sent_back_to_what_has_landed(several: Rig) -> None:
    """It is not reported as landed; it must merge the commit that is on the base; no work is stranded."""

    async def scenario() -> None:
        async with several.open() as context:
            first = await work(context, "A", {"README": "of A\n"})
            second = await work(context, "B", {"README": "of B\n"})
            third = await work(context, "C", {"C.txt": "w\n"})
            landing = await land(context, first, second, third)
        assert landing.landed == {"A", "C"}
        refused = landing.answers["B"]
        assert (refused["cause"], refused["files"]) == (Refusal.CONFLICT, ["README"])
        assert refused["base"] == landing.answers["C"]["commit"], "what to merge is what is on the base"

    asyncio.run(scenario())
    assert several.log() == titles("A", "C")
    assert several.read_file("README").strip() == "of A"


def test_no_one_is_sent_to_merge_what_may_never_land(several: Rig) -> None:
    """Two stories conflict, and the first turns out to be red: the second lands as if it had been alone."""

    async def scenario() -> None:
        async with several.open() as context:
            first = await work(context, "A", {"README": "broken\n"})
            second = await work(context, "B", {"README": "of B\n"})
            landing = await land(context, first, second)
        assert landing.landed == {"B"}
        assert landing.answers["A"]["cause"] == Refusal.GATES

    asyncio.run(scenario())
    assert several.log() == titles("B")


def test_the_same_change_lands_once_and_is_then_nothing_new(several: Rig) -> None:
    async def scenario() -> None:
        async with several.open() as context:
            first = await work(context, "A", {"same.txt": "w\n"})
            second = await work(context, "B", {"same.txt": "w\n"})
            third = await work(context, "C", {"same.txt": "w\n"}, may_be_empty=True)
            landing = await land(context, first, second, third)
        assert landing.landed == {"A", "C"}
        assert landing.answers["B"]["cause"] == Refusal.EMPTY
        assert landing.answers["C"]["commit"] == landing.answers["A"]["commit"]

    asyncio.run(scenario())
    assert several.log() == titles("A")


def test_a_flaky_gate_is_tried_once_more_and_the_report_says_so(several: Rig, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    flaky = f"if mkdir {seen}/$(ls | tr -d '\\n'); then exit 1; fi"
    seen.mkdir()
    several.gates = (Gate(name="steady", command="true"), Gate(name="wavers", command=flaky))

    async def scenario() -> None:
        async with several.open() as context:
            asked = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B")]
            landing = await land(context, *asked)
        assert landing.landed == {"A", "B"}
        verified, *_ = landing.of(landing_facts.CandidateVerified)  # the red run of the second may have been ended
        assert [(result.name, result.flaky) for result in verified.report.results] == [
            ("steady", False),
            ("wavers", True),
        ]

    asyncio.run(scenario())


def test_gates_do_not_run_again_on_a_tree_on_which_they_have_passed(several: Rig, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    several.gates = (Gate(name="counted", command=f"echo x >> {runs}"),)

    async def scenario() -> None:
        async with several.open() as context:
            await land(context, await work(context, "A", {"a.txt": "w\n"}))
            several.commit_files({}, "the user's own, with the same tree")
            empty = await work(context, "B", {}, may_be_empty=True)
            landing = await land(context, empty)
        assert landing.landed == {"B"}
        assert [fact.report.cached for fact in landing.of(landing_facts.CandidateVerified)] == [False, True]

    asyncio.run(scenario())
    assert runs.read_text() == "x\n"


def test_the_users_own_commits_in_the_middle_of_a_batch_are_honoured(git_several: Rig, tmp_path: Path) -> None:
    once = tmp_path / "once"
    commit = "git -c user.name=U -c user.email=u@l commit -q -a -m mine"
    # Several of them run at once, and only one can make the folder.
    mine = f"mkdir {once} || exit 0; cd {git_several.repo} && echo mine > README && {commit}"
    git_several.gates = (Gate(name="mover", command=mine),)

    async def scenario() -> None:
        async with git_several.open() as context:
            conflicting = await work(context, "A", {"README": "of A\n"})
            fine = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("B", "C")]
            landing = await land(context, conflicting, *fine)
        assert landing.landed == {"B", "C"}
        assert landing.answers["A"]["cause"] == Refusal.CONFLICT
        assert len(landing.of(landing_facts.BaseMissed)) == 1

    asyncio.run(scenario())
    assert git_several.log() == [*titles("B", "C")[:-1], "mine", "start"]
    assert git_several.read_file("README") == "mine\n"


def test_no_more_checks_run_at_once_than_allowed_and_a_second_try_runs_alone(several: Rig, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    # The first two wait for each other, however long it takes the second to begin.
    meet = (
        f"test $(ls {marks} | wc -l) -lt 2 || touch {tmp_path}/met; while [ ! -e {tmp_path}/met ]; do sleep 0.02; done"
    )
    marked = f"trap 'rm -f {marks}/'$$'; exit 1' TERM; touch {marks}/$$"
    count = f"{marked}; {meet}; ls {marks} | wc -l >> {tmp_path}/counts; sleep 0.2; rm {marks}/$$"
    several.gates = (Gate(name="counts", command=f"{count}; test $(tail -n 1 {tmp_path}/counts) -lt 2"),)
    several.landing = LandingPolicy(at_once=2)

    async def scenario() -> None:
        async with several.open() as context:
            asked = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B", "C")]
            landing = await land(context, *asked)
        assert landing.landed == {"A", "B", "C"}, "alone, each of them passes"

    asyncio.run(scenario())
    assert max(int(line) for line in (tmp_path / "counts").read_text().split()) == 2


def test_where_gates_are_slow_what_is_verified_does_not_wait_for_the_rest(several: Rig) -> None:
    several.gates = (Gate(name="slow", command="sleep 1.1"),)
    several.landing = LandingPolicy(at_once=1)

    async def scenario() -> None:
        async with several.open() as context:
            asked = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B", "C")]
            landing = await land(context, *asked)
        first, *later = [[key.split("/")[1] for key in fact.requests] for fact in landing.of(landing_facts.BaseMoved)]
        assert "C" not in first
        assert [*first, *itertools.chain(*later)] == ["A", "B", "C"]

    asyncio.run(scenario())
    assert several.log() == titles("A", "B", "C")


def test_who_asks_while_gates_run_joins_the_batch_and_is_checked_beside_it(several: Rig, tmp_path: Path) -> None:
    """The gates on the first end only when those on the second have begun."""
    first_runs, second_runs = tmp_path / "first", tmp_path / "second"
    waits = f"touch {first_runs}; until [ -e {second_runs} ]; do sleep 0.05; done"
    several.gates = (Gate(name="meets", command=f"if [ -e B.txt ]; then touch {second_runs}; else {waits}; fi"),)

    async def scenario() -> None:
        async with several.open() as context:
            first, late = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B")]
            landing = asyncio.ensure_future(land(context, first))
            await several.until(first_runs.exists)
            await post(context, late)
            facts = (await landing).facts
            assert (await answer(context, late))["kind"] == "LandingAccepted"
        assert [type(fact).__name__ for fact in facts].count("BatchTaken") == 1
        below, above = [fact for fact in facts if isinstance(fact, landing_facts.CandidateBuilt)]
        assert above.base == below.commit

    asyncio.run(scenario())
    assert several.log() == titles("A", "B")


def test_who_conflicts_with_a_batch_waits_for_its_end_and_nobody_overtakes(several: Rig, tmp_path: Path) -> None:
    begun, proceed = tmp_path / "begun", tmp_path / "go"
    several.gates = (Gate(name="waits", command=f"touch {begun}; until [ -e {proceed} ]; do sleep 0.05; done"),)

    async def scenario() -> None:
        async with several.open() as context:
            first = await work(context, "A", {"README": "of A\n"})
            rival = await work(context, "B", {"README": "of B\n"})
            third = await work(context, "C", {"C.txt": "w\n"})
            landing = asyncio.ensure_future(land(context, first))
            await several.until(begun.exists)
            await post(context, rival)
            await several.until(
                lambda: any(isinstance(sighting.what, landing_facts.BatchClosed) for sighting in several.seen)
            )
            await post(context, third)
            proceed.touch()
            facts = (await landing).facts
            assert (await answer(context, rival))["cause"] == Refusal.CONFLICT
            assert (await answer(context, third))["kind"] == "LandingAccepted"
        assert [type(fact).__name__ for fact in facts].count("BatchTaken") == 2

    asyncio.run(scenario())
    assert several.log() == titles("A", "C")


@pytest.mark.parametrize("end", ["green", "red", "unproved"])
def test_gates_of_those_behind_go_on_while_the_branch_moves_and_are_not_run_again(
    several: Rig, tmp_path: Path, end: str
) -> None:
    """The second is only known once the first has landed, when its commit has another name."""
    landed, runs = tmp_path / "landed", tmp_path / "runs"
    code = 1 if end == "red" else 0
    behind = f"echo x >> {runs}; until [ -e {landed} ]; do sleep 0.05; done; exit {code}"
    several.gates = (Gate(name="gate", command=f"if [ -e B.txt ]; then {behind}; else sleep {2 * SLOW_SECONDS}; fi"),)

    async def scenario() -> None:
        async with several.open() as context:
            first, second = [await work(context, name, {f"{name}.txt": "w\n"}) for name in ("A", "B")]
            first = replace(first, skipped=("review: not needed",))  # so that its message is not that of the candidate
            if end == "unproved":
                criteria = (Criterion(id="AC-1", text="it is shown"),)
                second = replace(second, case=Case(policy=ProofPolicy.CITED, criteria=criteria))
            several.watch = lambda sighting: (
                landed.touch() if isinstance(sighting.what, landing_facts.BaseMoved) else None
            )
            landing = await land(context, first, second)
        (moved, *_) = landing.of(landing_facts.BaseMoved)
        built = [fact.commit for fact in landing.of(landing_facts.CandidateBuilt)]
        assert not {*built} & {*moved.commits}
        assert [key.split("/")[1] for key in moved.requests] == ["A"]
        kinds = (landing_facts.CandidateVerified, landing_facts.CandidateFailed, landing_facts.CandidateUnproved)
        _, verdict, *_ = [fact for fact in landing.facts if isinstance(fact, kinds)]
        assert verdict.report.commit == moved.commits[1], "by the name that it has now"
        assert landing.landed == ({"A", "B"} if end == "green" else {"A"})
        cause = {"green": None, "red": Refusal.GATES, "unproved": Refusal.EVIDENCE}[end]
        assert landing.answers["B"].get("cause") == cause

    asyncio.run(scenario())
    tries = 2 if end == "red" else 1
    assert runs.read_text().count("x") == tries


def test_batches_shrink_while_much_fails(several: Rig) -> None:
    several.landing = LandingPolicy(batch=4)

    async def scenario() -> None:
        async with several.open() as context:
            bad = [await work(context, f"bad-{number}", {f"{number}.txt": "broken\n"}) for number in (1, 2, 3)]
            good = [await work(context, f"good-{number}", {f"g{number}.txt": "w\n"}) for number in (1, 2)]
            landing = await land(context, *bad, *good)
        sizes: list[int] = []
        for fact in landing.facts:
            sizes += [0] if isinstance(fact, landing_facts.BatchTaken) else []
            sizes[-1:] = [sizes[-1] + isinstance(fact, landing_facts.CandidateBuilt)] if sizes else []
        assert sizes == [4, 2, 1, 1, 1]
        assert landing.landed == {"good-1", "good-2"}

    asyncio.run(scenario())


def test_a_queue_with_nothing_to_do_does_nothing(several: Rig) -> None:
    async def scenario() -> None:
        async with several.open() as context:
            await drain(context, await work(context, "A", {"a": "a"}))
            assert await context.events.version(LANDING) == 0

    asyncio.run(scenario())
