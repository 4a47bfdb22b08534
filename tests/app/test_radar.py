"""Conflicts that are foreseen before anybody asks to land."""

import asyncio

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.app.radar import foreseen_conflicts
from shiftwork.app.world import nobody_knows
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.ids import StoryId
from shiftwork.domain.model.spec import Criterion, Spec, Story
from shiftwork.ports.agent import AgentTask
from shiftwork.ports.workspace import Clash
from tests.app.rig import SHORT, Rig, done


def story(name: str) -> Story:
    return Story(id=StoryId(name), title=name, description=name, criteria=(Criterion(id="AC-1", text=name),))


class Recorded:
    """A radar that tells which stories it was asked about."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def clashes(self, run: str, stories: list[str]) -> list[Clash]:
        self.asked = list(stories)
        return []


def test_the_radar_is_asked_about_stories_in_progress_alone(rig: Rig) -> None:
    def script(task: AgentTask) -> Turn:
        pause = 60 if task.env["SHIFTWORK_STORY"] == "B" else 0
        return done(pause=pause, write={f"{task.env['SHIFTWORK_STORY']}.txt": "w"})

    async def scenario() -> None:
        rig.script = script
        rig.gates = ()
        radar = Recorded()
        async with rig.open() as world:
            spec = Spec(title="t", description="d", stories=(story("A"), story("B")))
            run = await rig.start(world, spec, workflow=SHORT)
            await rig.until(lambda: any(isinstance(one.what, r.StoryEnded) for one in rig.seen))
            await rig.until(lambda: sum(isinstance(one.what, r.StoryDispatched) for one in rig.seen) == 2)
            await foreseen_conflicts(rig.store.queries, radar, run)  # type: ignore[arg-type]
            assert radar.asked == ["B"]
            assert nobody_knows(world.owner) is None

    asyncio.run(scenario())
