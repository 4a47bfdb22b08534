"""A program that lands a batch of stories in the repository it is started in, to be killed and started again.

Three of them are fine, one is red, and two change the same line. It prints the result of each.
"""

import asyncio
import json
import zlib
from pathlib import Path

from shiftwork.app.messaging import run_inbox
from shiftwork.app.runtime.context import Context, job_of
from shiftwork.bootstrap.work.ports import open_context
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import environment, find_site
from shiftwork.domain.core.ids import RunId, StoryId, Stream, landing_stream, story_stream
from shiftwork.domain.landing.state import LandingRequest
from shiftwork.ports.workspace import Place
from tests.tier import TIER

RUN = RunId(f"r{zlib.crc32(bytes(Path.cwd()))}")
"""The same for the killed process and its successor, and for no other process: the successor looks for leftovers of the
dead process on the whole machine and ends them, while other tests land at the same time.
"""
STORIES = {
    "A": {"a.txt": "fine\n"},
    "B": {"README": "of B\n"},
    "C": {"c.txt": "broken\n"},
    "D": {"README": "of D\n"},
    "E": {"e.txt": "fine\n"},
}
SETTINGS = Settings.model_validate(
    {"gates": {"fine": "! grep -l broken *"}, "sandbox": {"tier": TIER}, "commit": {"hook": "always"}}
)


async def asked(context: Context, queue: Stream, story: str, files: dict[str, str]) -> LandingRequest:
    """The story's work and its request; where it has asked before, that request stands."""
    base = await context.repository.tip("main")
    place = Place(run=RUN, story=story, number=1)
    tree = await context.workspaces.prepare(place, base)
    for name, content in files.items():
        (tree / name).write_text(content)
    tip = await context.workspaces.snapshot(place, base, "work")
    stream = story_stream(RUN, StoryId(story))
    request = LandingRequest(
        run=RUN, story=StoryId(story), number=1, stream=stream, tip=tip, base=base, title=f"Do {story}", body=""
    )
    await run_inbox.ask_to_land(context.inbox, queue, "main", request)
    return request


async def main(root: Path) -> None:
    env = environment()
    site = find_site(root, env)
    async with open_context(site, SETTINGS, env) as context:
        queue = landing_stream(site.project, "main")
        requests = [await asked(context, queue, story, files) for story, files in STORIES.items()]
        await context.engine.start(job_of(queue))
        answers = {}
        for request in requests:
            (message,) = await context.inbox.wait(request.stream, after=0)
            answers[request.story] = message.body["kind"]
        print(json.dumps(answers))  # noqa: T201 - this is a program


if __name__ == "__main__":
    asyncio.run(main(Path.cwd()))
