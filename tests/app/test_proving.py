"""What a story must show before it lands, and the certificate that it leaves."""

import asyncio
import json
from dataclasses import replace

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app import messages
from shiftwork.app.certificates import Bench, Held, Paper, document, from_document, recorded, verify
from shiftwork.app.commands import Order, start_run, wait_for
from shiftwork.app.world import World
from shiftwork.domain.model import facts as f
from shiftwork.domain.model.gate import Gate
from shiftwork.domain.model.ids import Commit, RunId, StoryId, story_stream
from shiftwork.domain.model.proof import ProofPolicy, Verdict, Verification, VerificationKind
from shiftwork.domain.model.queue import LandingPolicy, Proof
from shiftwork.domain.model.run import RunState, RunStatus
from shiftwork.domain.model.spec import Criterion, Spec, Story
from shiftwork.domain.model.story import FailureCause, HoldCause, Limits, Refusal, StoryStatus
from shiftwork.domain.rules.certifying import digest
from shiftwork.errors import UsageError
from shiftwork.ports.agent import AgentTask
from tests.app.rig import LANDING, SHORT, Rig, done, git

STORY = StoryId("US-001")
PRINTED = Gate(name="unit", command="echo 'tests/check.py::test_work PASSED'")


def asked(*criteria: str, steps: tuple[Verification, ...] = ()) -> Spec:
    listed = tuple(Criterion(id=f"AC-{number}", text=text) for number, text in enumerate(criteria, start=1))
    told = tuple(Criterion(id=step.id, text=step.name) for step in steps)
    story = Story(id=STORY, title="Add work", description="d", criteria=(*listed, *told), verification=steps)
    return Spec(title="t", description="d", stories=(story,))


def working(*evidence: str, mended: tuple[str, ...] = (), file: str = "one\ntwo\n") -> object:
    """Writes its file, and says what shows that the criteria hold: at first this, when it is sent back that."""

    def script(task: AgentTask) -> Turn:
        if task.env["SHIFTWORK_STEP_TYPE"] != "coding":
            return done()
        claims = mended if "is not enough to land" in task.prompt else evidence
        told = "".join(f"- {claim}\n" for claim in claims)
        turn = done(write={"work.txt": file, "tests/check.py": "def test_work(): ...\n"})
        return replace(turn, answer=f"{turn.answer}\nEVIDENCE:\n{told}")

    return script


async def carried(rig: Rig, world: World, spec: Spec, policy: ProofPolicy, repairs: int = 1) -> RunState:
    run = await begun(world, spec, policy, repairs)
    return await asyncio.wait_for(wait_for(world, run), timeout=60)


async def begun(world: World, spec: Spec, policy: ProofPolicy, repairs: int = 1) -> RunId:
    limits = Limits(repairs=repairs)
    order = Order(
        spec=spec, workflow=SHORT, branch="main", landing=LANDING, agent="scripted", limits=limits, proof=policy
    )
    return await start_run(world, order)


async def paper_of(rig: Rig, run: RunState) -> Paper:
    paper = await recorded(rig.store.events, run.given.run, STORY)
    assert paper
    return paper


def ran(rig: Rig, spec: Spec, policy: ProofPolicy, repairs: int = 1) -> RunState:
    async def scenario() -> RunState:
        async with rig.open() as world:
            return await carried(rig, world, spec, policy, repairs)

    return asyncio.run(scenario())


def test_who_offers_nothing_lands_where_evidence_is_not_asked_for_and_the_certificate_says_so(rig: Rig) -> None:
    rig.script = working()  # type: ignore[assignment]
    run = ran(rig, asked("work.txt exists"), ProofPolicy.TRUSTING)
    assert run.status is RunStatus.COMPLETED
    said = asyncio.run(paper_of(rig, run)).certificate
    assert [(one.criterion, one.verdict) for one in said.criteria] == [("AC-1", Verdict.MISSING)]
    assert said.commit == git(rig.repo, "rev-parse", "main")
    assert said.tree == git(rig.repo, "rev-parse", "main^{tree}")
    first = said.steps[0]
    assert (first.type, first.attempts, first.agent) == ("coding", 1, "scripted")
    assert "Shiftwork-Evidence" not in git(rig.repo, "log", "-1", "--format=%B", "main")


def test_evidence_that_is_missing_is_asked_for_and_then_the_story_lands(rig: Rig) -> None:
    rig.script = working(mended=("AC-1 citation work.txt:2",))  # type: ignore[assignment]
    rig.gates = (PRINTED,)
    run = ran(rig, asked("work.txt exists"), ProofPolicy.CITED)
    assert run.status is RunStatus.COMPLETED
    facts = asyncio.run(rig.facts(run))
    refused = [fact for fact in facts if isinstance(fact, f.LandingRefused)]
    assert [one.cause for one in refused] == [Refusal.EVIDENCE]
    assert "AC-1 (work.txt exists): no evidence was reported" in refused[0].detail
    said = asyncio.run(paper_of(rig, run)).certificate
    assert [(one.verdict, one.reference) for one in said.criteria] == [(Verdict.HOLDS, "work.txt:2")]
    assert said.repairs == 1
    told = git(rig.repo, "log", "-1", "--format=%(trailers)", "main").splitlines()
    assert "Shiftwork-Gates: unit" in told
    assert "Shiftwork-Evidence: 1/1 cited" in told


@pytest.mark.parametrize(
    "claim",
    [
        "citation README:1",
        "citation work.txt:9",
        "citation nowhere.txt:1",
        "citation work.txt",
        "test test_other",
        "verification VS-1",
        "hearsay my word",
    ],
)
def test_a_false_claim_never_lands(rig: Rig, claim: str) -> None:
    rig.script = working(f"AC-1 {claim}", mended=(f"AC-1 {claim}",))  # type: ignore[assignment]
    run = ran(rig, asked("work.txt exists"), ProofPolicy.CITED)
    story = asyncio.run(rig.story(run))
    assert (story.status, story.cause) == (StoryStatus.FAILED, FailureCause.REFUSED)
    assert "(evidence)" in story.failure
    assert rig.log() == ["start"]


def test_a_test_that_no_gate_has_printed_is_enough_where_it_is_named_and_not_where_it_must_be_seen(rig: Rig) -> None:
    rig.script = working("AC-1 test tests/check.py::test_work")  # type: ignore[assignment]
    run = ran(rig, asked("work.txt exists"), ProofPolicy.CITED)
    assert asyncio.run(paper_of(rig, run)).certificate.criteria[0].verdict is Verdict.PRESENT


def test_a_test_that_a_gate_has_printed_as_passing_holds_under_the_strictest_policy(rig: Rig) -> None:
    rig.script = working("AC-1 test tests/check.py::test_work")  # type: ignore[assignment]
    rig.gates = (PRINTED,)
    run = ran(rig, asked("work.txt exists"), ProofPolicy.STRICT)
    assert asyncio.run(paper_of(rig, run)).certificate.criteria[0].verdict is Verdict.HOLDS


def test_verification_steps_run_on_the_candidate_and_keep_a_story_from_landing(rig: Rig) -> None:
    file = Verification(id="VS-1", kind=VerificationKind.FILE_EXISTS, name="the work", path="work.txt")
    shell = Verification(
        id="VS-2", kind=VerificationKind.SHELL, name="says two", command="cat work.txt", contains=("two",)
    )
    rig.script = working(file="one\n")  # type: ignore[assignment]
    run = ran(rig, asked(steps=(file, shell)), ProofPolicy.TRUSTING, repairs=0)
    story = asyncio.run(rig.story(run))
    assert story.status is StoryStatus.FAILED
    assert "US-001 VS-2" in story.failure
    assert "it printed no 'two'" in story.failure
    assert rig.log() == ["start"]


def test_a_verification_step_is_its_own_evidence(rig: Rig) -> None:
    file = Verification(id="VS-1", kind=VerificationKind.FILE_EXISTS, name="the work", path="work.txt")
    rig.script = working("VS-1 citation README:1", "AC-1 step the work")  # type: ignore[assignment]
    rig.gates = (PRINTED,)
    rig.landing = LandingPolicy(proof=Proof.TIP)
    run = ran(rig, asked("work.txt exists", steps=(file,)), ProofPolicy.STRICT)
    said = asyncio.run(paper_of(rig, run)).certificate
    assert [(one.criterion, one.kind, one.verdict) for one in said.criteria] == [
        ("AC-1", "verification", Verdict.HOLDS),
        ("VS-1", "verification", Verdict.HOLDS),
    ]
    assert [line.name for line in said.gates] == ["unit"]
    assert [line.step.id for line in said.verification] == ["VS-1"]


@pytest.mark.parametrize(
    ("granted", "answer", "said"), [(True, "it is nice", "it is nice"), (True, "", "yes"), (False, "no", "")]
)
def test_what_nobody_can_check_waits_for_a_person_under_the_strictest_policy(
    rig: Rig, *, granted: bool, answer: str, said: str
) -> None:
    rig.script = working("AC-1 citation work.txt:1-2")  # type: ignore[assignment]

    async def scenario() -> None:
        async with rig.open() as world:
            run = await begun(world, asked("work.txt exists", "It feels nice"), ProofPolicy.STRICT)
            await rig.until(lambda: any(isinstance(seen.what, f.StoryHeld) for seen in rig.seen))
            held = await rig.story(run)
            assert held.hold
            assert held.hold.cause is HoldCause.EVIDENCE
            assert "AC-2: It feels nice" in held.hold.detail
            body = messages.release(granted=granted, answer=answer)
            await world.inbox.post(story_stream(run, STORY), "answer", body)
            await asyncio.wait_for(wait_for(world, run), timeout=60)
            story = await rig.story(run)
            assert story.vouched == said
            assert story.status is (StoryStatus.COMPLETED if granted else StoryStatus.FAILED)
            paper = await recorded(rig.store.events, run, STORY)
            verdicts = [one.verdict for one in paper.certificate.criteria] if paper else []
            assert verdicts == ([Verdict.HOLDS, Verdict.VOUCHED] if granted else [])

    asyncio.run(scenario())


def test_with_only_the_last_of_a_batch_checked_the_one_without_evidence_is_found(rig: Rig) -> None:
    """Three stories land together; the second offers nothing, and the others land without it."""

    def script(task: AgentTask) -> Turn:
        story = task.env["SHIFTWORK_STORY"]
        turn = done(write={f"{story}.txt": "work\n"})
        told = "" if story == "US-002" else f"\nEVIDENCE:\n- AC-1 citation {story}.txt:1\n"
        return replace(turn, answer=turn.answer + told)

    rig.script = script
    rig.landing = LandingPolicy(proof=Proof.TIP)
    rig.gates = (Gate(name="slow", command="sleep 0.5"),)
    one = asked("the file exists").stories[0]
    step = Verification(id="VS-1", kind=VerificationKind.SHELL, command="true")
    names = [StoryId(f"US-00{number}") for number in (1, 2, 3)]
    spec = Spec(
        title="t",
        description="d",
        stories=tuple(replace(one, id=name, title=f"Add {name}", verification=(step,)) for name in names),
    )

    async def scenario() -> None:
        async with rig.open() as world:
            order = Order(
                spec=spec,
                workflow=SHORT,
                branch="main",
                landing=LANDING,
                agent="scripted",
                limits=Limits(repairs=0),
                proof=ProofPolicy.CITED,
                parallel=3,
            )
            run = await start_run(world, order)
            await asyncio.wait_for(wait_for(world, run), timeout=60)
            ends = {name: (await rig.story(run, name)).status for name in names}
            assert ends == {
                names[0]: StoryStatus.COMPLETED,
                names[1]: StoryStatus.FAILED,
                names[2]: StoryStatus.COMPLETED,
            }
            for name in (names[0], names[2]):
                paper = await recorded(rig.store.events, run, name)
                assert paper
                assert [line.name for line in paper.certificate.gates] == ["slow"]

    asyncio.run(scenario())


# Certificates ----------------------------------------------------------------------------------------------------


async def examined(rig: Rig, paper: Paper, gates: tuple[Gate, ...], known: Paper | None = None) -> list[Held]:
    async with rig.open() as world:
        bench = Bench(witness=world.witness, gates=world.gates, configured=gates, known=known)
        return list(await verify(paper, bench))


def broken(found: list[Held]) -> set[str]:
    return {held.name for held in found if not held.passed}


def landed(rig: Rig) -> Paper:
    rig.script = working("AC-1 citation work.txt:2", "AC-2 test test_work")  # type: ignore[assignment]
    rig.gates = (PRINTED,)
    file = Verification(id="VS-1", kind=VerificationKind.FILE_EXISTS, name="the work", path="work.txt")
    run = ran(rig, asked("work.txt exists", "test_work passes", steps=(file,)), ProofPolicy.STRICT)
    assert run.status is RunStatus.COMPLETED
    return asyncio.run(paper_of(rig, run))


def test_a_certificate_holds_and_survives_a_file(rig: Rig) -> None:
    paper = landed(rig)
    again = from_document(json.dumps(document(paper)))
    assert again == paper
    found = asyncio.run(examined(rig, again, rig.gates, known=paper))
    assert broken(found) == set()
    assert {held.name for held in found} >= {
        "digest",
        "history",
        "commit",
        "tree",
        "branch",
        "trailers",
        "evidence AC-1",
    }


def test_what_is_said_otherwise_does_not_hold_even_under_a_digest_of_its_own(rig: Rig) -> None:
    paper = landed(rig)
    said = paper.certificate
    first, second, third = said.criteria
    lies = {
        "evidence AC-1": replace(said, criteria=(replace(first, reference="README:1"), second, third)),
        "evidence AC-2": replace(said, criteria=(first, replace(second, reference="test_other"), third)),
        "tree": replace(said, tree="0" * 40),
        "branch": replace(said, ref="elsewhere"),
        "trailers": replace(said, story=StoryId("US-999")),
        "commit": replace(said, commit=Commit("1" * 40)),
    }
    for name, lie in lies.items():
        forged = Paper(certificate=lie, sha256=digest(lie))
        found = asyncio.run(examined(rig, forged, rig.gates, known=paper))
        assert {name, "history"} <= broken(found), name
        plain = asyncio.run(examined(rig, Paper(certificate=lie, sha256=paper.sha256), rig.gates))
        assert "digest" in broken(plain)


def test_what_was_not_shown_and_not_asked_for_is_told_as_that(rig: Rig) -> None:
    rig.script = working()  # type: ignore[assignment]
    run = ran(rig, asked("it is nice"), ProofPolicy.TRUSTING)
    found = asyncio.run(examined(rig, asyncio.run(paper_of(rig, run)), rig.gates))
    assert broken(found) == set()
    (told,) = (held.told for held in found if held.name == "evidence AC-1")
    assert told == "no evidence was reported, as the certificate says; the policy trusting does not ask for it"


def test_a_gate_that_is_gone_or_red_now_is_told(rig: Rig) -> None:
    paper = landed(rig)
    gone = asyncio.run(examined(rig, paper, ()))
    assert broken(gone) == {"gate unit", "evidence AC-2"}, "no gate shows the test passing any more"
    red = asyncio.run(examined(rig, paper, (Gate(name="unit", command="exit 1"),)))
    assert "gate unit" in broken(red)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other", "sha256": "", "certificate": {}}', "null"])
def test_what_is_no_certificate_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="not a certificate"):
        from_document(text)


def test_a_certificate_that_says_more_than_it_should_is_none(rig: Rig) -> None:
    given = document(landed(rig))
    given["certificate"]["more"] = 1
    with pytest.raises(UsageError, match="says more"):
        from_document(json.dumps(given))
