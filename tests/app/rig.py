"""A context for tests of the application: real gates and attempt folders; the repository is of values, and store,
engine and agent are in memory. The fixture `git_rig` has real git.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.adapters.attempt_folders import LocalAttemptFolders
from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.engine.in_process import InProcessEngine
from shiftwork.adapters.notebook import FolderNotebook
from shiftwork.adapters.processes.ending.reaper import HostReaper
from shiftwork.adapters.processes.host.process_identity import this_owner
from shiftwork.adapters.sandbox.sandbox import OPEN, Sandbox
from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.commands.runs import Order, resume_run, start_run, wait_for
from shiftwork.app.folds import STORY, load
from shiftwork.app.loop import bodies, continued_by_messages
from shiftwork.app.runtime.context import Context, Sighting, WorkPolicy, unpriced
from shiftwork.domain.agents.rate_limit import Patience
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, RunId, StoryId, landing_stream, run_stream, story_stream
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing.commit_style import CommitStyle
from shiftwork.domain.landing.state import LandingPolicy
from shiftwork.domain.notices.notice import NoticePlan
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Spec, one_shot
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.tampering.findings import LaterPolicy, Protection
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.workflow import DYNAMIC, StepKind, StepPlan, Workflow, catalogue_step
from shiftwork.ports.agent import Agent, AgentEvent, AgentTask
from shiftwork.ports.clock import Clock
from shiftwork.ports.commit_hooks import CommitHooks, NoCommitHooks
from shiftwork.ports.notebook import Notebook
from shiftwork.ports.notify import Notifier
from shiftwork.ports.views import Owner
from shiftwork.ports.workspace import Gates, Repository, Workspaces
from tests.app.projects import (
    CommandSettings,
    FakeProject,
    Files,
    GitProject,
    Project,
    RepositoryPorts,
)
from tests.patience import SECONDS

LANDING = landing_stream("test", "main")

type Script = Callable[[AgentTask], Turn] | Mapping[str, Sequence[Turn]]


def done(summary: str = "done", **more: object) -> Turn:
    """An attempt that keeps the contract."""
    return replace(Turn(answer=f"All is well.\n\nSUMMARY:\n{summary}\n"), **more)  # type: ignore[arg-type]


def honest(**special: Sequence[Turn]) -> Callable[[AgentTask], Turn]:
    """Does its work in coding steps; `special` says what the first attempts at a step type do instead, in order."""
    waiting = {kind: list(turns) for kind, turns in special.items()}

    def script(task: AgentTask) -> Turn:
        kind = task.env["SHIFTWORK_STEP_TYPE"]
        if waiting.get(kind):
            return waiting[kind].pop(0)
        return done(f"{kind} done", write={"work.txt": "work\n"}) if kind == "coding" else done(f"{kind} done")

    return script


def itself[Port](port: Port) -> Port:
    """A port as it is; a test may put something between."""
    return port


def no_hooks(gates: Gates) -> CommitHooks:
    return NoCommitHooks()


@dataclass
class Rig:
    """One repository and what is remembered about it; `open` may be called again, like starting a new process.

    `repo` is the user's folder. With a `fake`, the repository is that, and the folder has no commits.
    """

    repo: Path
    fake: FakeProject | None = None
    script: Script = field(default_factory=honest)
    setup: str = ""
    gates: tuple[Gate, ...] = (Gate(name="test", command="test -f work.txt"),)
    store: MemoryStore = field(default_factory=MemoryStore)
    seen: list[Sighting] = field(default_factory=list)
    watch: Callable[[Sighting], None] | None = None
    silence_seconds: float = 90
    time_factor: float = 1.0
    linger_seconds: float = 1.0
    sweep_seconds: float = 60.0
    toolbox: tuple[str, ...] = ()
    landing: LandingPolicy = field(default_factory=LandingPolicy)
    protection: Protection = field(default_factory=Protection)
    later_files: LaterPolicy = LaterPolicy.LEAVE_OUT
    large_file_mb: int = 50
    commit: CommitStyle = CommitStyle()
    commit_hooks: Callable[[Gates], CommitHooks] = no_hooks
    alive: Callable[[Owner], bool | None] | None = None
    left: set[Owner] = field(default_factory=set)
    through: Callable[[Workspaces], Workspaces] = itself
    landing_through: Callable[[Repository], Repository] = itself
    agent: Agent | None = None
    own: str = ""
    learns: bool = False
    notifiers: Mapping[str, Notifier] = field(default_factory=dict)
    notices: NoticePlan = field(default_factory=NoticePlan)
    others: Mapping[str, Agent] = field(default_factory=dict)
    fallbacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    patience: Patience = field(default_factory=Patience)
    identical_calls: int = 3
    models: Mapping[str, str] = field(default_factory=dict)
    thrifty: frozenset[str] = frozenset()
    price: Callable[[str, Usage], float | None] = unpriced
    notebook: Notebook | None = None
    review: bool = False
    worktree: str = ""
    sandbox: Sandbox = OPEN
    recalls: bool = True
    clock: Clock = field(default_factory=SystemClock)

    @property
    def state(self) -> Path:
        return self.repo / ".git/shiftwork"

    @property
    def cache(self) -> Path:
        return self.repo.parent / "cache"

    @property
    def trees(self) -> Path:
        return self.cache / "workspaces"

    @property
    def project(self) -> Project:
        return self.fake or GitProject(repo=self.repo, cache=self.cache)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Context]:
        settings = CommandSettings(setup=self.setup, sandbox=self.sandbox, recalls=self.recalls)
        async with self.project.open_ports(settings) as ports, self._opened(ports) as context:
            yield context

    @asynccontextmanager
    async def _opened(self, ports: RepositoryPorts) -> AsyncIterator[Context]:
        clock = self.clock
        owner = this_owner(clock.fresh())
        contexts: list[Context] = []
        engine = InProcessEngine(bodies(lambda: contexts[0]), clock=clock)
        context = Context(
            events=self.store.events,
            inbox=self.store.inbox,
            leases=self.store.leases,
            engine=engine,
            agents={"scripted": self.agent or ScriptedAgent(self.script), **self.others},
            attempt_folders=LocalAttemptFolders(self.state, toolbox=self.toolbox),
            notebook=self.notebook or FolderNotebook(self.state),
            workspaces=self.through(ports.workspaces),
            repository=self.landing_through(ports.repository),
            gates=ports.gates,
            canary=ports.canary,
            protecting=ports.protecting,
            inspector=ports.inspector,
            changes=ports.changes,
            commit_hooks=self.commit_hooks(ports.gates),
            specs=FileSpecs(root=self.repo),
            reaper=HostReaper(),
            clock=clock,
            work_policy=WorkPolicy(
                agent=self.own,
                gates=self.gates,
                silence_seconds=self.silence_seconds,
                time_factor=self.time_factor,
                linger_seconds=self.linger_seconds,
                sweep_seconds=self.sweep_seconds,
                landing=self.landing,
                protection=self.protection,
                later_files=self.later_files,
                large_file_mb=self.large_file_mb,
                commit=self.commit,
                candidates=("scripted", *self.others) if self.learns else (),
                models=dict(self.models),
                fallbacks=self.fallbacks,
                patience=self.patience,
                identical_calls=self.identical_calls,
                thrifty=self.thrifty,
            ),
            owner=owner,
            worktree=self.worktree,
            project="test",
            observe=self._observe,
            alive=self.alive or self._has_not_left,
            price=self.price,
            notifiers=self.notifiers,
            record=self.store.queries.profiles,
        )
        contexts.append(context)
        try:
            async with continued_by_messages(context):
                yield context
        finally:
            await engine.close()
            self.left.add(owner)

    def _has_not_left(self, owner: Owner) -> bool | None:
        """A world that was closed is a process that has ended; of others nothing is known."""
        return False if owner in self.left else None

    def _observe(self, sighting: Sighting) -> None:
        self.seen.append(sighting)
        if self.watch:
            self.watch(sighting)

    async def run(
        self,
        spec: Spec | None = None,
        *,
        workflow: Workflow = DYNAMIC,
        limits: Limits = Limits(),  # noqa: B008
        parallel: int = 1,
    ) -> RunState:
        async with self.open() as context:
            run = await self.start(context, spec, workflow=workflow, limits=limits, parallel=parallel)
            return await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)

    async def start(
        self,
        context: Context,
        spec: Spec | None = None,
        *,
        workflow: Workflow = DYNAMIC,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        parallel: int = 1,
    ) -> RunId:
        order = Order(
            spec=spec or one_shot("Add work.txt"),
            workflow=workflow,
            branch="main",
            landing=LANDING,
            agent="scripted",
            limits=limits,
            parallel=parallel,
            notices=self.notices,
            review=self.review,
        )
        return await start_run(context, order)

    async def carried_on(self, run: RunId) -> RunState:
        """The run's end after another process has taken it up: the engine knows nothing, the history everything."""
        async with self.open() as context:
            await resume_run(context, run)
            return await asyncio.wait_for(wait_for(context, run), timeout=SECONDS)

    async def story(self, run: RunState | RunId, story: str = "US-001") -> StoryState:
        name = run.given.run if isinstance(run, RunState) else run
        return await load(self.store.events, STORY, story_stream(name, StoryId(story)))

    async def facts(self, run: RunState | RunId, story: str = "US-001") -> list[Fact]:
        name = run.given.run if isinstance(run, RunState) else run
        stream = story_stream(name, StoryId(story)) if story else run_stream(name)
        return [recorded.fact for recorded in await self.store.events.read(stream)]

    async def until(self, wanted: Callable[[], bool], seconds: float = SECONDS) -> None:
        async with asyncio.timeout(seconds):
            while not wanted():
                await asyncio.sleep(0.01)

    def end_job_at(self, wanted: Callable[[Sighting], bool]) -> None:
        """The job that records this ends at that moment, as if its process had: whatever comes next has not begun."""

        def end_job(sighting: Sighting) -> None:
            job = asyncio.current_task()
            if job and wanted(sighting):
                self.watch = None
                job.cancel()

        self.watch = end_job

    async def at_work(self, step: str = "", story: str = "") -> None:
        """Until an agent is at the step: its start is recorded before the agent is asked."""

        def begun() -> bool:
            there = False
            for sighting in self.seen:
                if isinstance(sighting.what, story_facts.StepStarted) and sighting.stream.endswith(story):
                    there = there or sighting.what.step.endswith(step)
                elif there and isinstance(sighting.what, AgentEvent) and sighting.stream.endswith(story):
                    return True
            return False

        await self.until(begun)

    # The user's repository ----------------------------------------------------------------------------------------

    def commit_files(self, files: Files, message: str = "user's own") -> Commit:
        return self.project.commit_files(files, message)

    def find_commit(self, name: str = "main") -> Commit:
        return self.project.find_commit(name)

    def read_file(self, path: str, at: str = "main") -> str:
        return self.project.read_tree(at)[path].content.decode()

    def list_files(self, at: str = "main") -> list[str]:
        return sorted(self.project.read_tree(at))

    def read_message(self, at: str = "main") -> str:
        return self.project.read_message(at)

    def log(self, at: str = "main") -> list[str]:
        """The subjects of the branch, newest first."""
        return [self.read_message(commit).partition("\n")[0] for commit in self.project.list_commits(at)]


def fake_rig(folder: Path) -> Rig:
    rig = Rig(repo=folder / "repo", fake=FakeProject(folder=folder / "cache"))
    rig.repo.mkdir()
    rig.commit_files({"README": "a project\n"}, "start")
    return rig


def story_workflow(*steps: StepPlan) -> Workflow:
    loop = StepPlan(name="stories", type="stories", kind=StepKind.LOOP, body=steps)
    return Workflow(id="test", version=1, steps=(loop,))


SHORT = story_workflow(catalogue_step("coding"), catalogue_step("final_review"))
"""Where the ten steps are not the point."""


def kinds(facts: list[Fact]) -> list[str]:
    return [type(fact).__name__ for fact in facts]
