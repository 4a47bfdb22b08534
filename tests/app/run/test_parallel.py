"""Several stories at once in one process: dependencies, what each has to itself, what a failure blocks."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.app.folds import LANDING, RUN, load
from shiftwork.domain.core.ids import Stream, run_stream
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing.state import QUEUE_FORMAT
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.story.state import StoryStatus
from shiftwork.ports.agent import AgentReport, AgentTask, Ending, Listener
from shiftwork.ports.store import EventStore
from shiftwork.ports.views import SnapshotRow
from shiftwork.testing.builders import asked
from tests.app.rig import LANDING as QUEUE
from tests.app.rig import SHORT, Rig, done

CODING = "coding"


def spec(*stories: Story) -> Spec:
    return Spec(title="Several", description="Several things", stories=stories)


class Crew:
    """An agent that writes a file named after its story, and remembers where it worked and what it found there."""

    def __init__(self, *, broken: Mapping[str, Turn] | None = None) -> None:
        self.environments: dict[str, Mapping[str, str]] = {}
        self.trees: dict[str, Path] = {}
        self.seen: dict[str, set[str]] = {}
        self._broken = broken or {}

    def script(self, task: AgentTask) -> Turn:
        story = task.env["SHIFTWORK_STORY"]
        if task.env["SHIFTWORK_STEP_TYPE"] != CODING:
            return done()
        self.environments[story], self.trees[story] = task.env, task.workdir
        self.seen[story] = {path.name for path in task.workdir.glob("US-*")}
        return self._broken.get(story) or done(write={story: "work\n"}, pause=0.05)


class FirstWithFifth(ScriptedAgent):
    """The first story does nothing before the fifth has begun, however long that takes."""

    def __init__(self, crew: Crew) -> None:
        super().__init__(crew.script)
        self._crew = crew

    async def attempt(self, task: AgentTask, listener: Listener) -> AgentReport:
        while task.env["SHIFTWORK_STORY"] == "US-001" and "US-005" not in self._crew.seen:
            await asyncio.sleep(0.01)
        return await super().attempt(task, listener)


def rig_with(rig: Rig, crew: Crew, gate: str = "true") -> Rig:
    rig.script, rig.gates = crew.script, (Gate(name="test", command=gate),)
    return rig


def in_progress_at_most(rig: Rig) -> int:
    """How many stories were in progress at once, by the facts as they were seen."""
    in_progress, most = 0, 0
    for sighting in rig.seen:
        in_progress += isinstance(sighting.what, run_facts.StoryDispatched) - isinstance(
            sighting.what, run_facts.StoryEnded
        )
        most = max(most, in_progress)
    return most


def test_four_stories_at_once_all_land(rig: Rig) -> None:
    crew = Crew()
    run = asyncio.run(
        rig_with(rig, crew).run(spec(*(asked(number) for number in range(1, 9))), workflow=SHORT, parallel=4)
    )
    assert run.status is RunStatus.COMPLETED
    assert in_progress_at_most(rig) == 4
    assert sorted(rig.log()) == sorted(["start", *(f"feat: US-{n:03d} - Story {n}" for n in range(1, 9))])
    assert len(set(crew.trees.values())) == 8, "each has a workspace of its own"


def test_stories_at_once_have_ports_and_names_for_themselves(rig: Rig) -> None:
    crew = Crew()
    gate = 'echo "$SHIFTWORK_PORT_BASE $COMPOSE_PROJECT_NAME" >> "$GIT_CEILING_DIRECTORIES/../said"'
    asyncio.run(rig_with(rig, crew, gate).run(spec(*map(asked, range(1, 5))), workflow=SHORT, parallel=4))
    environments = crew.environments.values()
    assert sorted(env["SHIFTWORK_PORT_BASE"] for env in environments) == ["20000", "20100", "20200", "20300"]
    assert {env["SHIFTWORK_PORTS"] for env in environments} == {"100"}
    assert len({env["COMPOSE_PROJECT_NAME"] for env in environments}) == 4
    said = {tuple(line.split()) for path in rig.cache.rglob("said") for line in path.read_text().splitlines()}
    assert said, "the gates have run"
    for port, name in said:  # by the tree they ran in: they share nothing with what an agent may have left running
        assert int(port) == 15_000 + 100 * int(name.removeprefix("shiftwork_check_"))


def test_a_story_starts_the_moment_its_dependencies_have_landed_and_sees_them(rig: Rig) -> None:
    crew = Crew()
    diamond = spec(asked(1), asked(2, after=(1,)), asked(3, after=(1,)), asked(4, after=(2, 3)), asked(5))
    rig.agent = FirstWithFifth(crew)
    run = asyncio.run(rig_with(rig, crew).run(diamond, workflow=SHORT, parallel=4))
    assert run.status is RunStatus.COMPLETED
    assert "US-001" not in crew.seen["US-005"]
    assert crew.seen["US-002"] >= {"US-001"}
    assert crew.seen["US-004"] >= {"US-001", "US-002", "US-003"}


def test_a_failure_blocks_what_hangs_on_it_and_the_views_say_why(rig: Rig) -> None:
    crash = Turn(ending=Ending.CRASHED, detail="exit 3")
    crew = Crew(broken={"US-001": crash})
    chain = spec(asked(1), asked(2, after=(1,)), asked(3, after=(2,)), asked(4))

    async def scenario() -> None:
        run = await rig_with(rig, crew).run(chain, workflow=SHORT, parallel=2)
        assert run.status is RunStatus.FAILED
        rows = await rig.store.queries.stories(run.given.run)
        assert [row.status for row in rows] == ["failed", "blocked", "blocked", "completed"]
        assert [row.failure for row in rows[1:]] == ["depends on US-001, which failed"] * 2 + [""]
        (row,) = await rig.store.queries.runs()
        assert (row.stories, row.completed, row.failed) == (4, 1, 1)

    asyncio.run(scenario())
    assert rig.log() == ["feat: US-004 - Story 4", "start"]


def test_a_stream_is_folded_from_what_is_known_of_it_unless_that_is_later(rig: Rig) -> None:
    async def scenario() -> None:
        run = await rig_with(rig, Crew()).run(spec(asked(1)), workflow=SHORT)
        events, stream = rig.store.events, run_stream(run.given.run)
        whole, early = await load(events, RUN, stream), await load(events, RUN, stream, 2)
        assert await load(events, RUN, stream, known=(2, early)) == whole
        assert await load(events, RUN, stream, 2, known=(await events.version(stream), whole)) == early
        remembered = replace(early, cursor=99)
        assert (await load(events, RUN, stream, 2, known=(2, remembered))).cursor == 99, "nothing is folded twice"
        queued = await load(events, LANDING, QUEUE, 1)
        assert (await events.snapshot(QUEUE), len(queued.entries)) != (None, 0), "a later snapshot is not used"

    asyncio.run(scenario())


class Damaged:
    """A history whose snapshots have this body."""

    def __init__(self, own: EventStore, body: str) -> None:
        self._own = own
        self._body = body

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    async def snapshot(self, stream: Stream) -> SnapshotRow | None:
        version = await self._own.version(stream)
        return SnapshotRow(stream=stream, version=version, format=QUEUE_FORMAT, body=self._body)


@pytest.mark.parametrize("body", ["{", "[]", "5", '{"entries": 5}'])
def test_a_damaged_snapshot_is_replaced_by_the_facts(rig: Rig, body: str) -> None:
    async def scenario() -> None:
        await rig_with(rig, Crew()).run(spec(asked(1)), workflow=SHORT)
        events = rig.store.events
        assert await load(Damaged(events, body), LANDING, QUEUE) == await load(events, LANDING, QUEUE)

    asyncio.run(scenario())


def test_what_can_never_start_is_shown_blocked_while_the_rest_lands(rig: Rig) -> None:
    lost = spec(replace(asked(1), depends_on=("US-009",)), asked(2))  # type: ignore[arg-type]

    async def scenario() -> None:
        run = await rig_with(rig, Crew()).run(lost, workflow=SHORT, parallel=2)
        assert {known.status for known in run.stories.values()} == {StoryStatus.BLOCKED, StoryStatus.COMPLETED}
        first, _ = await rig.store.queries.stories(run.given.run)
        assert (first.status, first.failure) == ("blocked", "depends on US-009, which is not in the spec")

    asyncio.run(scenario())
