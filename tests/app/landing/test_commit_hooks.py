"""The team's hook judges the message of a commit before it lands; a refusal waits for a person, and stops nothing."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from shiftwork.app.commands.replies import Reply, Word, reply
from shiftwork.app.commands.runs import resume_run, wait_for
from shiftwork.app.landing.message_check import ask_about
from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.commit_hook import HookAnswer
from shiftwork.domain.landing.commit_style import CommitStyle
from shiftwork.domain.landing.state import LandingPolicy, Proof
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec, one_shot
from shiftwork.domain.story.state import HoldCause, StoryState
from shiftwork.records import replace
from shiftwork.testing.builders import asked as spec_story
from tests.app.landing.landing_rig import land, work
from tests.app.rig import SHORT, Rig, done
from tests.patience import SECONDS

FIRST = StoryId("US-001")


@dataclass
class Hook:
    """Answers by a function of the message; None refuses it. Knows what it was asked, and on which base."""

    judge: Callable[[str], str | None]
    absent: bool = False
    asked: list[str] = field(default_factory=list)
    bases: list[Commit] = field(default_factory=list)

    async def hooks_folder(self) -> str:
        return ""

    async def ask(self, base: Commit, message: str, marker: str) -> HookAnswer | None:
        assert marker
        self.asked.append(message)
        self.bases.append(base)
        left = self.judge(message)
        return HookAnswer(hook="hook", accepted=left is not None, message=left or "", output="no", absent=self.absent)


def small_letters(message: str) -> str | None:
    return None if message.partition(": ")[2][0].isupper() else message


def prepared(rig: Rig, judge: Callable[[str], str | None], *, absent: bool = False) -> Hook:
    hook = Hook(judge, absent)
    rig.commit_hooks = lambda _: hook
    rig.gates = (Gate(name="lint", command="true"),)
    rig.script = lambda task: done(write={f"{task.env['SHIFTWORK_STORY']}.py": "x\n"})
    return hook


def message_of(rig: Rig, run: RunState) -> str:
    return rig.read_message().replace(run.given.run, "RUN").strip()


def test_an_accepted_message_lands_as_it_is_worded(rig: Rig) -> None:
    start, hook = rig.find_commit(), prepared(rig, lambda message: message)
    run = asyncio.run(rig.run(one_shot("Add a function"), workflow=SHORT))
    assert message_of(rig, run) == "feat: Add a function\n\nShiftwork-Run: RUN/US-001"
    assert hook.bases == [start]


def test_a_message_that_the_hook_has_changed_lands_changed(rig: Rig) -> None:
    prepared(rig, lambda message: f"{message}\nChange-Id: I1")
    run = asyncio.run(rig.run(one_shot("Add a function"), workflow=SHORT))
    assert message_of(rig, run) == "feat: Add a function\n\nShiftwork-Run: RUN/US-001\nChange-Id: I1"


def test_a_refused_message_is_tried_once_as_short_as_it_can_be(rig: Rig) -> None:
    hook = prepared(rig, small_letters)
    story = replace(spec_story(1), title="Add a function", description="Because.")
    run = asyncio.run(rig.run(Spec(title="x", description="", stories=(story,)), workflow=SHORT))
    assert message_of(rig, run) == "feat: add a function\n\nShiftwork-Run: RUN/US-001"
    assert [text.partition("\n")[0] for text in hook.asked] == ["feat: US-001 - Add a function", "feat: add a function"]


def test_a_hook_whose_program_is_not_installed_is_not_asked(rig: Rig) -> None:
    hook = prepared(rig, lambda _: None, absent=True)
    run = asyncio.run(rig.run(one_shot("Add a function"), workflow=SHORT))
    assert run.status is RunStatus.COMPLETED
    assert len(hook.asked) == 1


def test_without_a_form_nothing_is_asked() -> None:
    hook = Hook(lambda message: message)
    assert asyncio.run(ask_about(hook, Commit("c"), (), "m")) is None


# A person decides ------------------------------------------------------------------------------------------------


async def held(rig: Rig, run: RunId, number: int = 1) -> StoryState:
    async with asyncio.timeout(SECONDS):
        while (state := await rig.story(run)).waiting.hold is None or state.waiting.holds < number:
            await asyncio.sleep(0.01)
    return state


async def answered(rig: Rig, *replies: tuple[Word, str], request: str = "Add a function") -> tuple[RunState, list[str]]:
    """The run after these replies, each to the next refusal, and the questions."""
    questions = []
    async with rig.open() as context:
        run = await rig.start(context, one_shot(request), workflow=SHORT)
        for number, (word, text) in enumerate(replies, start=1):
            state = await held(rig, run, number)
            assert state.waiting.hold
            assert state.waiting.hold.cause is HoldCause.MESSAGE
            questions.append(state.waiting.hold.detail)
            await reply(context.events, context.inbox, Reply(run=run, story=FIRST, word=word, text=text))
        return await asyncio.wait_for(wait_for(context, run), timeout=SECONDS), questions


def test_a_message_refused_twice_waits_for_a_person_with_the_hook_s_own_words(rig: Rig) -> None:
    prepared(rig, lambda _: None)
    run, questions = asyncio.run(answered(rig, (Word.APPROVE, "it is fine")))
    assert questions == ["hook refused the commit message `feat: Add a function`:\nno"]
    assert message_of(rig, run) == "feat: Add a function\n\nShiftwork-Run: RUN/US-001"


def test_a_person_s_own_subject_is_asked_about_and_lands(rig: Rig) -> None:
    hook = prepared(rig, lambda message: message if "AB-1" in message else None)
    run, questions = asyncio.run(answered(rig, (Word.ANSWER, "nothing"), (Word.ANSWER, "fix: AB-1 a  function\n")))
    assert "`nothing`" in questions[1]
    assert message_of(rig, run) == "fix: AB-1 a function\n\nShiftwork-Run: RUN/US-001"
    assert len(hook.asked) == 4


def test_a_rejected_message_ends_the_story(rig: Rig) -> None:
    prepared(rig, lambda _: None)
    run, _ = asyncio.run(answered(rig, (Word.REJECT, "")))
    assert run.status is RunStatus.FAILED
    assert rig.log() == ["start"]


def test_a_yes_is_for_the_message_that_was_refused(rig: Rig) -> None:
    """After a change of the template the hook is asked about what would land then."""
    hook = prepared(rig, lambda message: message if message.startswith("AB-1 ") else None)

    async def scenario() -> RunState:
        async with rig.open() as context:
            run = await rig.start(context, one_shot("Add a function"), workflow=SHORT)
            await held(rig, run)
        rig.commit = CommitStyle(template="AB-1 {title}")
        async with rig.open() as context:
            await reply(context.events, context.inbox, Reply(run=run, story=FIRST, word=Word.APPROVE))
            await resume_run(context, run)
            return await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)

    run = asyncio.run(scenario())
    assert message_of(rig, run).startswith("AB-1 Add a function\n")
    assert hook.asked[-1].startswith("AB-1 ")


# The queue -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("proof", list(Proof))
def test_one_refused_message_stops_no_other(rig: Rig, proof: Proof) -> None:
    rig.landing = LandingPolicy(proof=proof)
    hook = prepared(rig, lambda message: None if "US-002" in message else message)

    async def scenario() -> None:
        async with rig.open() as context:
            tip = await context.repository.tip("main")
            asked = [await work(context, f"US-00{number}", {f"{number}.txt": "x"}) for number in (1, 2, 3)]
            landing = await land(context, *asked)
            assert landing.landed == {"US-001", "US-003"}
            assert landing.answers["US-002"]["cause"] == "message"
            assert landing.answers["US-002"]["message"].startswith("feat: US-002")
            assert tip in hook.bases

    asyncio.run(scenario())


def test_what_lands_is_what_was_recorded(rig: Rig) -> None:
    prepared(rig, lambda message: f"{message}\nChange-Id: I1")

    async def scenario() -> None:
        async with rig.open() as context:
            landing = await land(context, await work(context, "a", {"a": "x"}))
            (verified,) = landing.of(landing_facts.CandidateVerified)
            assert verified.messages == (rig.read_message().strip(),)

    asyncio.run(scenario())


def test_a_revert_is_not_asked_about(rig: Rig) -> None:
    hook = prepared(rig, lambda _: None)

    async def scenario() -> None:
        async with rig.open() as context:
            landing = await land(context, replace(await work(context, "a", {"a": "x"}), type="revert", number=1))
            assert landing.of(landing_facts.BaseMoved)

    asyncio.run(scenario())
    assert not hook.asked
