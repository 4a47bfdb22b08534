"""Requests share the view of a run, and still see everything that was written before they came."""

import asyncio
from typing import Any

import pytest
from starlette.testclient import TestClient

from shiftwork.app.views.documents.run_documents import run_document
from shiftwork.app.views.run_views import Activity, RunView
from shiftwork.config.access.tokens import Role
from shiftwork.domain.core.ids import RunId, run_stream, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import HoldCause
from shiftwork.entrypoints.api.access.request_guard import PREFIX
from shiftwork.entrypoints.api.recent_views import MOST_VIEWS, OLDEST_SECONDS, RecentViews
from shiftwork.entrypoints.api.rendering import json_text
from shiftwork.entrypoints.api.run_texts import MOST_RUNS, RunTexts
from shiftwork.errors import UnknownRunError
from shiftwork.testing.builders import story_id
from shiftwork.testing.conformance.store_stage import run_row
from tests.api.api_rig import Stage


def read(client: TestClient, stage: Stage, path: str) -> Any:
    response = client.get(f"{PREFIX}{path}", headers=stage.bearer(Role.VIEWER))
    assert response.status_code == 200, response.text
    return response.json()


def shown(client: TestClient, stage: Stage) -> list[Any]:
    """What each route says that shares views. The run as it is kept is the run as it is read for this request."""
    assert read(client, stage, "/runs/r1") == read(client, stage, "/runs/r1?steps=true")
    return [
        [each["story_count"] for each in read(client, stage, "/runs")["runs"]],
        read(client, stage, "/runs/r1")["status"],
        [each["status"] for each in read(client, stage, "/runs/r1/stories")["stories"]],
        [read(client, stage, f"/runs/r1/stories/US-00{number}")["status"] for number in (1, 2)],
        [each["story"] for each in read(client, stage, "/needs-you")["stories"]],
    ]


def test_what_another_process_writes_is_seen_by_the_next_request(stage: Stage) -> None:
    with stage.client() as client:
        assert read(client, stage, "/runs")["runs"] == []
        stage.start_run()
        queued, working, running = "unclaimed", "in_progress", "running"
        assert shown(client, stage) == [[3], running, [queued] * 3, [queued] * 2, []]
        first = stage.start_story(number=1)
        assert shown(client, stage) == [[3], running, [working, queued, queued], [working, queued], []]
        stage.write(first, story_facts.StoryHeld(at=3, cause=HoldCause.EXHAUSTED, detail="shall it go on?"))
        assert shown(client, stage)[-1] == ["US-001"]
        stage.start_story(number=2)
        stage.write(
            story_stream(RunId("r1"), story_id(2)),
            story_facts.StoryHeld(at=4, cause=HoldCause.EXHAUSTED, detail="and this?"),
        )
        assert shown(client, stage) == [[3], running, [working, working, queued], [working] * 2, ["US-001", "US-002"]]
        stage.write(run_stream(RunId("r1")), run_facts.RunPaused(at=5))
        assert shown(client, stage)[1] == "paused"


def test_what_a_client_asked_is_seen_by_its_next_request(stage: Stage) -> None:
    stage.start_run()
    stage.ask()
    edit = {"operation": "add", "type": "coding", "description": "more"}
    path = "/runs/r1/stories/US-001/steps"
    with stage.client() as client:
        before = read(client, stage, path)
        assert client.post(f"{PREFIX}{path}", json=edit, headers=stage.bearer(Role.OPERATOR)).status_code == 202
        assert read(client, stage, path) != before


class Source:
    """A database that is read when `open` is set, and a clock."""

    def __init__(self) -> None:
        self.mark, self.now, self.reads = 0, 0.0, list[str]()
        self.open = asyncio.Event()
        self.views = RecentViews(self.written, self.read, lambda: self.now)

    async def written(self) -> int:
        return self.mark

    async def read(self, run: str) -> RunView:
        self.reads.append(run)
        await self.open.wait()
        if run == "none":
            raise UnknownRunError("there is no run none")
        return RunView(run=run_row(run), activity=Activity.OVER, worker=None, stories=[], shares=())


def test_requests_at_the_same_time_share_one_view_and_a_client_that_leaves_ends_only_its_own() -> None:
    async def acted() -> None:
        source = Source()
        leaves, *stay = [asyncio.create_task(source.views.view("r1")) for _ in range(5)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        leaves.cancel()
        await asyncio.sleep(0)
        source.mark = 1
        later = asyncio.create_task(source.views.view("r1"))
        await asyncio.sleep(0)
        source.open.set()
        assert len({id(view) for view in await asyncio.gather(*stay)}) == 1
        assert await later is not await stay[0], "it came after a change"
        assert source.reads == ["r1", "r1"]

    asyncio.run(acted())


def test_a_view_is_kept_for_some_seconds_and_a_failure_never() -> None:
    async def acted() -> None:
        source = Source()
        source.open.set()
        first = await source.views.view("r1")
        source.now = OLDEST_SECONDS
        assert await source.views.view("r1") is first
        source.now += 0.1
        assert await source.views.view("r1") is not first
        for _ in range(2):
            with pytest.raises(UnknownRunError):
                await source.views.view("none")
        assert source.reads == ["r1", "r1", "none", "none"]

    asyncio.run(acted())


def test_the_views_used_last_are_kept() -> None:
    async def acted() -> None:
        source = Source()
        source.open.set()
        runs = [f"r{number}" for number in range(MOST_VIEWS)]
        for run in (*runs, "r0", "more", "r0"):
            await source.views.view(run)
        assert source.reads == [*runs, "more"]
        await source.views.view("r1")
        assert source.reads[-1] == "r1", "it was the oldest"

    asyncio.run(acted())


def test_the_text_of_a_run_is_its_document_whatever_else_was_read() -> None:
    texts = RunTexts()
    for number in (*range(MOST_RUNS + 1), 0):
        view = RunView(run=run_row(f"r{number}"), activity=Activity.OVER, worker=None, stories=[], shares=())
        assert texts.text(view) == json_text(run_document(view))
