"""A project with a history that tests write, its tokens, and clients of its API: in process, or of a real server."""

import asyncio
import contextlib
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx2
from starlette.testclient import TestClient

from shiftwork.adapters.store.open import Store, open_store
from shiftwork.app.runtime.streams import LANDING_KIND, RUN_KIND, STORY_KIND, Kind
from shiftwork.config.access.tokens import Role, Tokens
from shiftwork.config.site import Site, find_site, open_state
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, RunId, StoryId, Stream, run_stream, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import FailureCause, HoldCause, StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.entrypoints.api.access.request_guard import PREFIX
from shiftwork.entrypoints.api.application import create_app
from shiftwork.entrypoints.api.http_server import access, serve_project
from shiftwork.testing.builders import asked, assignment, began, done, planned, run_plan, workflow
from shiftwork.testing.git_user import new_user

PORT = 8123
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"
STORIES = (1, 2, 3)
ROLES = tuple(Role)
CLIENT = httpx2.Client(verify=False, timeout=60)  # loading what TLS needs would take longest


@dataclass
class Stage:
    """One project. `words` are tokens by role."""

    site: Site
    env: dict[str, str]
    store: Store
    words: dict[Role, str] = field(default_factory=dict)
    states: dict[Stream, tuple[int, Any]] = field(default_factory=dict)

    def write(self, stream: Stream, *facts: Fact) -> None:
        kinds: dict[str, Kind[Any]] = {"run": RUN_KIND, "story": STORY_KIND, "landing": LANDING_KIND}
        kind = kinds[stream.partition("/")[0]]
        version, before = self.states.get(stream, (0, kind.state.start))
        after = kind.state.fold(before, facts)
        rows = kind.rows(before, after)
        appended = self.store.events.append(stream, facts, expected=version, key=f"k{version}", rows=rows)
        self.states[stream] = asyncio.run(appended), after

    def start_run(self, run: str = "r1", worktree: str = "") -> None:
        """A run of three stories with one step each; none has started."""
        steps = workflow(planned("coding"), planned("final_review"))
        plan = run_plan(*(asked(number) for number in STORIES), parallel=3, steps=steps)
        plan = replace(plan, run=RunId(run), project=self.site.project, worktree=worktree)
        self.write(run_stream(plan.run), run_facts.RunStarted(at=1, plan=plan))

    def start_story(self, run: str = "r1", number: int = 1) -> Stream:
        stream, given = story_stream(RunId(run), StoryId(f"US-{number:03}")), assignment(asked(number))
        given = replace(given, run=RunId(run), position=number - 1)
        begun = run_facts.StoryDispatched(at=2, story=given.story.id, slot=number - 1)
        self.write(run_stream(RunId(run)), begun)
        steps = (planned("coding"), planned("final_review"))
        self.write(stream, story_facts.StoryStarted(at=2, assignment=given, steps=steps))
        return stream

    def ask(self, run: str = "r1", number: int = 1, cause: HoldCause = HoldCause.EXHAUSTED) -> None:
        """The story starts and needs a person."""
        stream = self.start_story(run, number)
        self.write(stream, story_facts.StoryHeld(at=3, cause=cause, detail="shall it go on?"))

    def fail(self, run: str = "r1", number: int = 1) -> None:
        """The story starts and fails, and the run knows it."""
        stream, cause, reason = self.start_story(run, number), FailureCause.STEP, "the step failed twice"
        self.write(stream, story_facts.StoryFailed(at=3, cause=cause, reason=reason))
        ended = run_facts.StoryEnded(
            at=3,
            story=StoryId(f"US-{number:03}"),
            status=StoryStatus.FAILED,
            commit=Commit(""),
            reason=reason,
            cause=cause,
            usage=NOTHING_USED,
        )
        self.write(run_stream(RunId(run)), ended)

    def land(self, base: Commit, commit: Commit, run: str = "r1") -> None:
        """The first story starts and lands this commit, and the run knows it."""
        stream = self.start_story(run)
        self.write(stream, story_facts.WorkspacePrepared(at=3, number=1, base=base, head=base))
        for _ in range(2):
            self.write(stream, began(self.states[stream][1]))
            self.write(stream, done(self.states[stream][1], commit=commit))
        self.write(
            stream,
            story_facts.LandingRequested(at=30, number=1, tip=commit),
            story_facts.LandingAccepted(at=31, commit=commit, ref="main", base=base),
            story_facts.StoryCompleted(at=32, commit=commit),
        )
        ended = run_facts.StoryEnded(
            at=33,
            story=StoryId("US-001"),
            status=StoryStatus.COMPLETED,
            commit=commit,
            reason="",
            cause=None,
            usage=NOTHING_USED,
            base=base,
        )
        self.write(run_stream(RunId(run)), ended)

    def client(self) -> TestClient:
        app, _ = create_app(self.site, self.env, access(self.site, PORT))
        return TestClient(app, base_url=ORIGIN)

    def bearer(self, role: Role) -> dict[str, str]:
        return {"authorization": f"Bearer {self.words[role]}"}


@contextlib.contextmanager
def staged(folder: Path) -> Iterator[Stage]:
    user = new_user(folder)
    env = {**user.env, "SHIFTWORK_STATE_HOME": str(folder / "state"), "SHIFTWORK_CACHE_HOME": str(folder / "cache")}
    site = find_site(user.root, env)
    open_state(site)
    tokens = Tokens(site.state)
    words = {role: tokens.create(role, role.word, 1.0)[1] for role in ROLES}
    with contextlib.closing(open_store(site.store_url)) as store:
        yield Stage(site=site, env=env, store=store, words=words)


@contextlib.contextmanager
def served(stage: Stage) -> Iterator[str]:
    """The address of a real server of the project, in a thread."""
    address: list[str] = []
    started, loop, stop = threading.Event(), asyncio.new_event_loop(), asyncio.Event()

    def ready(url: str) -> None:
        address.append(f"{url}{PREFIX}")
        started.set()

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(serve_project(stage.site, stage.env, 0, ready, stop))

    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(20)
    try:
        yield address[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(20)
        assert not thread.is_alive(), "the server does not end"
        loop.close()


@dataclass(frozen=True)
class Received:
    """An event of a stream as a browser sees it."""

    id: int
    event: str
    data: dict[str, Any]


def events_of(lines: Iterator[str]) -> Iterator[Received]:
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.strip()
            continue
        if "data" in fields:
            yield Received(int(fields["id"]), fields["event"], json.loads(fields["data"]))
        fields = {}


@contextlib.contextmanager
def followed(url: str, word: str, last: int | None = None, **query: str) -> Iterator[Iterator[Received]]:
    headers = {"authorization": f"Bearer {word}"} | ({} if last is None else {"last-event-id": str(last)})
    with CLIENT.stream("GET", f"{url}/events", headers=headers, params=query) as response:
        assert response.status_code == 200, response.read()
        yield events_of(response.iter_lines())


def paths(received: Sequence[Received]) -> list[int]:
    return [each.id for each in received if each.event == "change"]
