"""Stories that are ready to land without the work before: tips made by hand, and a queue that is asked to land them."""

import asyncio
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shiftwork.app.folds import LANDING as KIND
from shiftwork.app.folds import load
from shiftwork.app.messaging import run_inbox
from shiftwork.app.runtime.context import Context, job_of
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, RunId, StoryId, story_stream
from shiftwork.domain.landing.state import LandingRequest, QueueState
from shiftwork.ports.workspace import Place
from tests.app.rig import LANDING, Rig

# Where another process lands, what a dead one has left there is ended by its name, on the whole host.
RUN = RunId(f"r{os.getpid()}")


async def work(
    context: Context, story: str, files: Mapping[str, str], *, may_be_empty: bool = False, number: int = 1
) -> LandingRequest:
    """A story that started from the present tip and changed these files."""
    base = await context.repository.tip("main")
    place = Place(run=RUN, story=story, number=number)
    tree = await context.workspaces.prepare(place, base)
    for name, content in files.items():
        (tree / name).write_text(content)
    tip = await context.workspaces.snapshot(place, base, "step")
    return request(story, tip, base, may_be_empty=may_be_empty, number=number)


def request(story: str, tip: Commit, base: Commit, *, may_be_empty: bool = False, number: int = 1) -> LandingRequest:
    return LandingRequest(
        run=RUN,
        story=StoryId(story),
        number=number,
        stream=story_stream(RUN, StoryId(story)),
        tip=tip,
        base=base,
        title=f"Do {story}",
        body="",
        may_be_empty=may_be_empty,
    )


@dataclass
class Landing:
    """What came of some requests: the answers by story, and all facts of the queue."""

    answers: dict[str, dict[str, Any]]
    facts: list[Fact]

    def of[F: Fact](self, kind: type[F]) -> list[F]:
        return [fact for fact in self.facts if isinstance(fact, kind)]

    @property
    def landed(self) -> set[str]:
        return {story for story, answer in self.answers.items() if answer["kind"] == "LandingAccepted"}


async def post(context: Context, *requests: LandingRequest) -> None:
    for item in requests:
        await run_inbox.ask_to_land(context.inbox, LANDING, "main", item)


async def land(context: Context, *requests: LandingRequest, seconds: float = 60) -> Landing:
    """Ask for all of them, then let the queue begin, and wait for its rest."""
    await post(context, *requests)
    await drain(context, requests[0], seconds)
    return await outcome(context, *requests)


async def drain(context: Context, landing_request: LandingRequest, seconds: float = 60) -> None:
    await context.engine.start(job_of(LANDING))
    await asyncio.wait_for(context.engine.join(job_of(LANDING)), timeout=seconds)


async def outcome(context: Context, *requests: LandingRequest) -> Landing:
    answers = {str(item.story): await answer(context, item) for item in requests}
    return Landing(answers=answers, facts=[row.fact for row in await context.events.read(LANDING)])


async def answer(context: Context, landing_request: LandingRequest) -> dict[str, Any]:
    said = await context.inbox.receive(landing_request.stream, after=0)
    (found,) = [message.body for message in said if message.key == f"answer/{landing_request.number}"]
    return {**found["body"], "kind": found["kind"]}


async def queue(rig: Rig) -> QueueState:
    return await load(rig.store.events, KIND, LANDING)


def titles(*stories: str) -> list[str]:
    """The log of the base branch after these have landed, the last one first."""
    return [*(f"feat: {story} - Do {story}" for story in reversed(stories)), "start"]


def red_commits(rig: Rig, command: str) -> list[str]:
    """The subjects of those commits of the base on which the command fails when they are checked out alone."""
    red = []
    for commit in rig.project.list_commits("main"):
        tree = rig.repo.parent / f"alone-{commit}"
        rig.project.check_out(commit, tree)
        if subprocess.run(("/bin/sh", "-c", command), cwd=tree, check=False, capture_output=True).returncode:
            red.append(rig.read_message(commit).partition("\n")[0])
    return red
