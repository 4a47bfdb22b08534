"""One run of eight stories that is killed and suspended again and again, from its first moment until all has landed."""

import math
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from shiftwork import failpoints
from shiftwork.testing.postgres_cluster import PrivateServer
from tests.chaos.checks import Inspector
from tests.chaos.neighbour import UNREACHABLE, Neighbour
from tests.chaos.prey import Orchestrator, Prey, agents, kill_agent, kill_everything, kill_git
from tests.chaos.user import User
from tests.durability.rig import Bench

_BLOWS: Final = (
    *("orchestrator", "orchestrator", "its group", "agent", "agent", "agent's group", "git", "everything"),
    *("suspended", "suspended"),
)
KINDS: Final = (
    *("orchestrator", "its group", "failpoint", "agent", "agent's group", "git", "everything", "suspended", "postgres"),
)

_RUN: Final = ("run", "../prd.json", "--parallel", "8", "--workflow", "dynamic")
_KILLED: Final = -9
_LONGEST_SECONDS: Final = 1200.0
"""On a machine with nothing else to do, a run that is killed sixteen times takes a thirtieth of that."""
_AMBUSH_SECONDS: Final = 3.0
_SUSPENDED_SECONDS: Final = 1.5
_SUSPENDED_SPREAD: Final = 1.15
"""The median of a log-normal distribution, and its spread: one of twenty is above ten seconds."""
_LONGEST_SUSPENDED: Final = 40.0
_ARMED_SECONDS: Final = 3.0
"""How much longer one is spared that will probably kill itself."""
_MANY_TIMES: Final = {"append.before": 60, "append.after": 60, "attempt.started": 20, "attempt.ended": 20}


@dataclass(kw_only=True)
class Outcome:
    """The outcome of one run; violations are sentences."""

    kills: Counter[str] = field(default_factory=Counter)
    starts: int = 0
    landings: int = 0
    commits: int = 0
    violations: list[str] = field(default_factory=list)


class Trial:
    """Kills while `budget` lasts, then lets the run end. Where the database has a `server`, the trial restarts it now
    and then, and runs another project beside this one.
    """

    def __init__(self, bench: Bench, seed: str, budget: int, server: PrivateServer | None = None) -> None:
        self.outcome = Outcome()
        self._server = server
        self._blows = _BLOWS if server is None else (*_BLOWS, "postgres")
        neighbours = bench.root.with_name("neighbour")
        self._neighbour = None if server is None else Neighbour(neighbours, bench.store_url)
        self._bench = bench
        self._chance = random.Random(seed)  # noqa: S311 - nothing secret is drawn
        self._budget = budget
        self._user = User(bench=bench, chance=self._chance)
        self._inspector = Inspector(bench=bench, user=self._user)
        self._armed = ""
        self._spared: set[tuple[str, str]] = set()
        self._orchestrator = self._start(*_RUN)

    def play(self) -> Outcome:
        deadline = time.monotonic() + _LONGEST_SECONDS
        try:
            while self._orchestrator.code != 0 and not self.outcome.violations:
                if time.monotonic() > deadline:
                    self.outcome.violations.append(f"the run did not end: {self._said()}")
                    break
                self._next_blow()
            self._finish()
        finally:
            kill_everything(self._bench)
        return self.outcome

    def _finish(self) -> None:
        if not self.outcome.violations:
            self._user.put_away()
            self.outcome.violations += self._inspector.at_the_end()
        if self._neighbour is not None:
            self.outcome.violations += self._neighbour.finish()
        self.outcome.landings = self._inspector.landed().total()
        self.outcome.commits = self._user.commits

    def _next_blow(self) -> None:
        """Wait for the moment, kill, check that all still holds, and start again where no process works any more."""
        killing = self._budget > self.outcome.kills.total()
        self._wait(self._moment() if killing else 0.5)
        if killing and self._chance.randrange(3) == 0:
            self._lie_in_wait()
        struck = killing and self._orchestrator.code is None and self._strike()
        if self._orchestrator.code is None:
            self._look()
        elif self._orchestrator.code == _KILLED:
            self.outcome.kills["failpoint"] += not struck
            self._rise()
        elif self._orchestrator.code:
            self._stumbled()

    def _moment(self) -> float:
        # Many early ones: taking over is when most is put right, and must survive this as well.
        moment = self._chance.choice((0.2, 0.6, 1.5, 2.5, 4.0)) * self._chance.uniform(0.5, 1.5)
        return moment + _ARMED_SECONDS * bool(self._armed)

    def _wait(self, seconds: float, wanted: Callable[[], bool] = lambda: False) -> None:
        deadline = time.monotonic() + seconds
        while self._orchestrator.code is None and time.monotonic() < deadline and not wanted():
            time.sleep(0.002)

    def _lie_in_wait(self) -> None:
        """For the moment in which the user's branch or checkout is being moved."""
        folder = self._bench.repo / ".git"
        locks = (folder / "index.lock", folder / "refs" / "heads" / "main.lock")
        self._wait(_AMBUSH_SECONDS, lambda: any(lock.exists() for lock in locks))

    def _strike(self) -> bool:
        """Whether it was the orchestrator that was killed, alone or with others."""
        kind = self._chance.choice(self._blows)
        match kind:
            case "orchestrator":
                self._orchestrator.kill()
            case "its group":
                self._orchestrator.kill_group()
            case "everything":
                self._orchestrator.kill_with_all(self._bench)
            case "suspended":
                self._suspend_orchestrator()
                self.outcome.kills[kind] += 1
                return False
            case "postgres":
                self._restart_postgres()
                self.outcome.kills[kind] += 1
                return False
            case "git":
                self.outcome.kills[kind] += self._strike_git()
                return False
            case _:
                return self._strike_agent(kind)
        self.outcome.kills[kind] += 1
        return True

    def _strike_agent(self, kind: str) -> bool:
        """A step is tried twice: killing both attempts would make the story fail, which would not be a lost story."""
        self._wait(_AMBUSH_SECONDS, lambda: bool(self._game()))
        if victims := self._game():
            prey = self._chance.choice(victims)
            self._spared.add((prey.story, prey.step))
            kill_agent(prey, group=kind == "agent's group")
            self.outcome.kills[kind] += 1
        return False

    def _suspend_orchestrator(self) -> None:
        """Git, gates, the database and the user carry on. Agents do not: one whose end nobody notices would go on to
        write, and has not been ended.
        """
        seconds = self._chance.lognormvariate(math.log(_SUSPENDED_SECONDS), _SUSPENDED_SPREAD)
        with self._orchestrator.suspended(self._bench):
            self._user.act()
            time.sleep(min(seconds, _LONGEST_SUSPENDED))

    def _restart_postgres(self) -> None:
        assert self._server is not None
        self._server.stop()
        time.sleep(self._chance.choice((0.0, 0.5, 2.0, 5.0)))
        self._server.start()

    def _strike_git(self) -> bool:
        """While agents are at work: before a run is recorded, there is no run to continue."""
        return bool(agents(self._bench)) and kill_git(self._bench, _AMBUSH_SECONDS)

    def _game(self) -> list[Prey]:
        return [agent for agent in agents(self._bench) if (agent.story, agent.step) not in self._spared]

    def _rise(self) -> None:
        """Sometimes at once, beside the processes that the dead one had started, sometimes after a while."""
        early = self._chance.choice((True, False))
        if not early:
            self._look()
            time.sleep(self._chance.choice((0.0, 0.0, 0.0, 3.0)))  # long enough for what lingers to do its harm
            alone = self._neighbour is None or not self._neighbour.at_work
            if self._chance.randrange(8) == 0 and alone:
                self._bench.forget_engine()
        self._orchestrator = self._again()
        if early:
            self._look()

    def _look(self) -> None:
        self._user.act()
        self.outcome.violations += self._inspector.at_any_time()

    def _stumbled(self) -> None:
        """It ended by itself. A user whose database was away when a command began types it once more."""
        said = self._said()
        if UNREACHABLE in said and self.outcome.kills["postgres"]:
            self._orchestrator = self._again()
            return
        self.outcome.violations.append(f"it gave up with exit code {self._orchestrator.code}: {said}")

    def _again(self) -> Orchestrator:
        """Where it died before it had recorded anything, there is nothing to resume."""
        run = self._inspector.run
        return self._start("resume", run) if run else self._start(*_RUN)

    def _start(self, *args: str) -> Orchestrator:
        self.outcome.starts += 1
        self._armed = self._failpoint()
        return Orchestrator(self._bench, args, self._armed)

    def _failpoint(self) -> str:
        """One of all the places between two durable writes, in two of five starts."""
        if self._budget <= self.outcome.kills.total() or self._chance.randrange(5) > 1:
            return ""
        name = self._chance.choice(sorted(failpoints.NAMES))
        return f"{name}@{self._chance.randint(1, _MANY_TIMES.get(name, 3))}"

    def _said(self) -> str:
        return self._orchestrator.output.read_text(errors="replace").strip()[-1500:]
