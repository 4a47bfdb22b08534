"""People who do not watch are told by their channels; a channel that fails stops nothing."""

import asyncio
from dataclasses import dataclass, field

import pytest

from shiftwork.app.commands.runs import wait_for
from shiftwork.app.messaging import messages
from shiftwork.app.views.history import account
from shiftwork.app.views.report import report
from shiftwork.domain.core.ids import RunId, StoryId, story_stream
from shiftwork.domain.notices.delivery import MAX_TRIES
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.notices.notice import NoticePlan, Occasion
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.story.facts.lifecycle import StoryReleased, WaitingTold
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, catalogue_step
from shiftwork.errors import NotifyError
from shiftwork.ports.notify import Notice
from tests.app.rig import SHORT, Rig, done, story_workflow

APPROVED = story_workflow(
    StepPlan(name="may it", type="approval", kind=StepKind.APPROVAL, description="May it?"), catalogue_step("coding")
)


@dataclass
class Channel:
    """Takes what it is given, once it has failed as often as it is told to."""

    failures: int = 0
    error: Exception = field(default_factory=lambda: NotifyError("it is down"))
    taken: list[Notice] = field(default_factory=list)

    async def send(self, notice: Notice) -> None:
        if self.failures:
            self.failures -= 1
            raise self.error
        self.taken.append(notice)


def told_by(rig: Rig, **channels: Channel) -> Rig:
    rig.notifiers = dict(channels)
    rig.notices = NoticePlan(occasions=tuple(Occasion), channels=tuple(channels))
    return rig


async def noticed(rig: Rig, run: RunId, story: str = "") -> list[NoticeTried]:
    return [fact for fact in await rig.facts(run, story) if isinstance(fact, NoticeTried)]


def test_how_a_run_ended_is_told_once_before_it_is_over(rig: Rig) -> None:
    async def scene() -> None:
        mail = Channel()
        run = await told_by(rig, mail=mail).run(workflow=SHORT)
        name = run.given.run
        assert run.status is RunStatus.COMPLETED
        (notice,) = mail.taken
        assert (notice.key, notice.occasion, notice.story) == (f"{name}/1", "finished", "")
        assert notice.title == "Add work.txt: finished"
        assert notice.text == (
            f"1 of 1 stories landed on main (1 with criteria that have no evidence)\nnext: shiftwork status {name}"
        )
        assert isinstance((await rig.facts(name, ""))[-1], run_facts.RunEnded)

    asyncio.run(scene())


def test_a_run_that_fails_names_what_failed(rig: Rig) -> None:
    async def scene() -> None:
        mail = Channel()
        rig.script = lambda _task: done(answer="no summary")
        stories = tuple(Story(id=StoryId(f"US-{number:03d}"), title="x", description="") for number in range(1, 8))
        run = await told_by(rig, mail=mail).run(
            Spec(title="Seven", description="", stories=stories), workflow=SHORT, parallel=3
        )
        assert run.status is RunStatus.FAILED
        (notice,) = mail.taken
        assert notice.occasion == "failed"
        assert "failed: US-001, US-002, US-003, US-004, US-005 and 2 more" in notice.text

    asyncio.run(scene())


def test_a_story_that_waits_says_so_and_goes_on_when_it_is_answered(rig: Rig) -> None:
    async def scene() -> None:
        mail = Channel()
        async with told_by(rig, mail=mail).open() as world:
            run = await rig.start(world, workflow=APPROVED)
            await rig.until(lambda: bool(mail.taken))
            stream = story_stream(run, StoryId("US-001"))
            await world.inbox.post(stream, "yes", messages.release(granted=True))
            state = await asyncio.wait_for(wait_for(world, run), timeout=60)
        assert state.status is RunStatus.COMPLETED
        first, last = mail.taken
        assert (first.occasion, first.key, first.story) == ("needs-you", f"{run}/US-001/1", "US-001")
        assert first.title == "US-001 Add work.txt: waits for your approval"
        assert first.text == f"May it?\nnext: shiftwork diff US-001 --run {run}"
        assert last.occasion == "finished"
        assert any(isinstance(fact, StoryReleased) for fact in await rig.facts(run))

    asyncio.run(scene())


@pytest.mark.parametrize("error", [NotifyError("it is down"), RuntimeError("boom"), TimeoutError()])
def test_a_channel_that_fails_is_tried_again_alone(rig: Rig, error: Exception) -> None:
    async def scene() -> None:
        mail, hook = Channel(failures=1, error=error), Channel()
        run = await told_by(rig, mail=mail, hook=hook).run(workflow=SHORT)
        assert run.status is RunStatus.COMPLETED
        assert len(mail.taken) == len(hook.taken) == 1
        first, second = await noticed(rig, run.given.run)
        assert (first.reached, [name for name, _ in first.missed]) == (("hook",), ["mail"])
        assert (second.reached, second.missed) == (("mail",), ())
        told = report(await account(rig.store.events, run.given.run))
        assert "### Notices that were missed\n" in told
        assert " UTC: finished by mail: " in told

    asyncio.run(scene())


def test_a_channel_that_is_gone_is_given_up_and_the_run_ends_all_the_same(rig: Rig) -> None:
    async def scene() -> None:
        told_by(rig, mail=Channel()).notifiers = {}
        run = await rig.run(workflow=SHORT)
        assert run.status is RunStatus.COMPLETED
        tries = await noticed(rig, run.given.run)
        assert [one.missed for one in tries] == [(("mail", "the settings name it no longer"),)] * 3
        row = await rig.store.queries.run(run.given.run)
        assert row
        assert row.unheard == "mail: the settings name it no longer"

    asyncio.run(scene())


def test_a_story_of_whose_question_nobody_was_told_says_so_until_it_is_answered(rig: Rig) -> None:
    async def scene() -> None:
        mail = Channel(failures=MAX_TRIES)
        async with told_by(rig, mail=mail).open() as world:
            run = await rig.start(world, workflow=APPROVED)
            await rig.until(lambda: not mail.failures and any(isinstance(one.what, WaitingTold) for one in rig.seen))
            (row,) = await rig.store.queries.stories(run)
            assert row.unheard == "mail: it is down"
            await world.inbox.post(story_stream(run, StoryId("US-001")), "yes", messages.release(granted=True))
            await asyncio.wait_for(wait_for(world, run), timeout=60)
        (row,) = await rig.store.queries.stories(run)
        over = await rig.store.queries.run(run)
        assert over
        assert (row.unheard, over.unheard, [one.occasion for one in mail.taken]) == ("", "", ["finished"])

    asyncio.run(scene())


def test_nothing_configured_leaves_no_trace(rig: Rig) -> None:
    async def scene() -> None:
        run = await rig.run(workflow=SHORT)
        assert await noticed(rig, run.given.run) == []

    asyncio.run(scene())
