"""Channels notify people who do not watch the run; a channel that fails stops nothing."""

import asyncio
from dataclasses import dataclass, field

import pytest

from shiftwork.app.commands.runs import wait_for
from shiftwork.app.messaging import messages
from shiftwork.domain.core.ids import RunId, StoryId, story_stream
from shiftwork.domain.notices.delivery import MAX_TRIES
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.notices.notice import NoticePlan, Occasion
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.story.facts.lifecycle import StoryReleased, WaitingReported
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, catalogue_step
from shiftwork.errors import NotifyError
from shiftwork.ports.notify import Notice
from tests.app.reported import report_of
from tests.app.rig import SHORT, Rig, done, story_workflow

APPROVED = story_workflow(
    StepPlan(name="may it", type="approval", kind=StepKind.APPROVAL, description="May it?"), catalogue_step("coding")
)


@dataclass
class Channel:
    """Accepts notifications after it has failed `failures` times."""

    failures: int = 0
    error: Exception = field(default_factory=lambda: NotifyError("it is down"))
    taken: list[Notice] = field(default_factory=list)

    async def send(self, notice: Notice) -> None:
        if self.failures:
            self.failures -= 1
            raise self.error
        self.taken.append(notice)


def reported_by(rig: Rig, **channels: Channel) -> Rig:
    rig.notifiers = dict(channels)
    rig.notices = NoticePlan(occasions=tuple(Occasion), channels=tuple(channels))
    return rig


async def noticed(rig: Rig, run: RunId, story: str = "") -> list[NoticeTried]:
    return [fact for fact in await rig.facts(run, story) if isinstance(fact, NoticeTried)]


def test_how_a_run_ended_is_reported_once_before_it_is_over(rig: Rig) -> None:
    async def scene() -> None:
        email = Channel()
        run = await reported_by(rig, email=email).run(workflow=SHORT)
        name = run.given.run
        assert run.status is RunStatus.COMPLETED
        (notice,) = email.taken
        assert (notice.key, notice.occasion, notice.story) == (f"{name}/1", "finished", "")
        assert notice.title == "Add work.txt: finished"
        assert notice.text == (f"1 of 1 stories landed on main (1 with gates passed)\nnext: shiftwork status {name}")
        assert isinstance((await rig.facts(name, ""))[-1], run_facts.RunEnded)

    asyncio.run(scene())


def test_a_run_that_fails_names_what_failed(rig: Rig) -> None:
    async def scene() -> None:
        email = Channel()
        rig.script = lambda _task: done(answer="no summary")
        stories = tuple(Story(id=StoryId(f"US-{number:03d}"), title="x", description="") for number in range(1, 8))
        run = await reported_by(rig, email=email).run(
            Spec(title="Seven", description="", stories=stories), workflow=SHORT, parallel=3
        )
        assert run.status is RunStatus.FAILED
        (notice,) = email.taken
        assert notice.occasion == "failed"
        assert "failed: US-001, US-002, US-003, US-004, US-005 and 2 more" in notice.text

    asyncio.run(scene())


def test_a_story_that_waits_says_so_and_continues_when_it_is_answered(rig: Rig) -> None:
    async def scene() -> None:
        email = Channel()
        async with reported_by(rig, email=email).open() as context:
            run = await rig.start(context, workflow=APPROVED)
            await rig.until(lambda: bool(email.taken))
            stream = story_stream(run, StoryId("US-001"))
            await messages.send(context.inbox, stream, "yes", StoryReleased(at=0, granted=True, answer=""))
            state = await asyncio.wait_for(wait_for(context, run), timeout=60)
        assert state.status is RunStatus.COMPLETED
        first, last = email.taken
        assert (first.occasion, first.key, first.story) == ("needs-you", f"{run}/US-001/1", "US-001")
        assert first.title == "US-001 Add work.txt: needs your approval"
        assert first.text == f"May it?\nnext: shiftwork diff US-001 --run {run}"
        assert last.occasion == "finished"
        assert any(isinstance(fact, StoryReleased) for fact in await rig.facts(run))

    asyncio.run(scene())


@pytest.mark.parametrize("error", [NotifyError("it is down"), RuntimeError("boom"), TimeoutError()])
def test_a_channel_that_fails_is_tried_again_alone(rig: Rig, error: Exception) -> None:
    async def scene() -> None:
        email, hook = Channel(failures=1, error=error), Channel()
        run = await reported_by(rig, email=email, hook=hook).run(workflow=SHORT)
        assert run.status is RunStatus.COMPLETED
        assert len(email.taken) == len(hook.taken) == 1
        first, second = await noticed(rig, run.given.run)
        assert (first.reached, [name for name, _ in first.missed]) == (("hook",), ["email"])
        assert (second.reached, second.missed) == (("email",), ())
        message = await report_of(rig.store, run.given.run)
        assert "### Undelivered notifications\n" in message
        assert " UTC: finished by email: " in message

    asyncio.run(scene())


def test_a_channel_that_is_gone_is_given_up_and_the_run_ends_all_the_same(rig: Rig) -> None:
    async def scene() -> None:
        reported_by(rig, email=Channel()).notifiers = {}
        run = await rig.run(workflow=SHORT)
        assert run.status is RunStatus.COMPLETED
        tries = await noticed(rig, run.given.run)
        assert [notice_tried.missed for notice_tried in tries] == [
            (("email", "the settings no longer have this channel"),)
        ] * 3
        row = await rig.store.queries.run(run.given.run)
        assert row
        assert row.undelivered == "email: the settings no longer have this channel"

    asyncio.run(scene())


def test_a_story_of_whose_question_no_one_was_notified_says_so_until_it_is_answered(rig: Rig) -> None:
    async def scene() -> None:
        email = Channel(failures=MAX_TRIES)
        async with reported_by(rig, email=email).open() as context:
            run = await rig.start(context, workflow=APPROVED)
            await rig.until(
                lambda: not email.failures and any(isinstance(sighting.what, WaitingReported) for sighting in rig.seen)
            )
            (row,) = await rig.store.queries.stories(run)
            assert row.waiting.undelivered == "email: it is down"
            await messages.send(
                context.inbox,
                story_stream(run, StoryId("US-001")),
                "yes",
                StoryReleased(at=0, granted=True, answer=""),
            )
            await asyncio.wait_for(wait_for(context, run), timeout=60)
        (row,) = await rig.store.queries.stories(run)
        over = await rig.store.queries.run(run)
        assert over
        assert (row.waiting.undelivered, over.undelivered, [notice.occasion for notice in email.taken]) == (
            "",
            "",
            ["finished"],
        )

    asyncio.run(scene())


def test_nothing_configured_leaves_no_trace(rig: Rig) -> None:
    async def scene() -> None:
        run = await rig.run(workflow=SHORT)
        assert await noticed(rig, run.given.run) == []

    asyncio.run(scene())
