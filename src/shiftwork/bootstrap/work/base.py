"""Checks the base before any work is paid for: its environment, its gates, and what they detect."""

import shutil
from collections.abc import Callable, Mapping, Sequence

from shiftwork.adapters.sandbox.ladder import Ladder
from shiftwork.adapters.workspace.gates.canary import GitCanary
from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.git.git import Identity
from shiftwork.adapters.workspace.hub.agent_repository import lenders
from shiftwork.adapters.workspace.hub.landing import GitRepository
from shiftwork.app.landing.canary import Examiner, ignore_sight
from shiftwork.bootstrap.git_consent import open_hub_here
from shiftwork.bootstrap.sandbox.registries import registries_in_force
from shiftwork.bootstrap.sandbox.sandboxes import open_sandboxes
from shiftwork.bootstrap.work.setup import build_setup
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site
from shiftwork.domain.canary.canary_verdict import GateSight
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.domain.gates.rung import Rung
from shiftwork.domain.proof.commit_trailers import RUN
from shiftwork.domain.spec.criterion_gates import Needed
from shiftwork.ports.workspace import Begun, unwatched
from shiftwork.records import dataclass, replace

_HARNESS = Identity(name="Shiftwork", email="shiftwork@localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The environment of the gates: how long it took to prepare, and whether it was reused. `failure` says why there is
    none although the settings have a setup command. `wanted` is False if they have none.
    """

    wanted: bool
    seconds: float
    reused: bool
    failure: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseCheck:
    """`tip` is the commit that work would start from. `ladder` has the rungs of the gates, if any; `confined` is
    whether there is a sandbox.
    """

    tip: Commit
    gates: GitGates
    examiner: Examiner
    ladder: Ladder | None = None
    confined: bool = False
    tip_is_landed: bool = False

    @property
    def is_first(self) -> bool:
        """Whether no gate was ever examined in this repository."""
        return not any((self.gates.hub.state / "known").glob("sight-*"))

    async def known(self) -> tuple[GateSight, ...] | None:
        """The stored results for every gate, if nothing needs to run and the base is known to pass."""
        return await self.examiner.known(self.tip)

    async def is_green(self) -> bool:
        """Whether the base is known to pass every gate, so that none has to run."""
        return self.rungs_known and await self.examiner.known_green(self.tip) is not None

    async def report(self, marker: str, begun: Begun = unwatched, *, again: bool = False) -> GateReport:
        """Run the gates on the tip; gates that passed before run only with `again`. Raises RepositoryError if they
        cannot run at all.
        """
        if self.ladder is None or not (fresh := self._unknown()):
            return await self.examiner.base(self.tip, marker, begun, again=again)
        return await self._climbed(self.ladder, fresh, marker, begun)

    @property
    def rungs_known(self) -> bool:
        """Whether it is known how much of the machine each gate needs."""
        return not self._unknown()

    def rung(self, gate: Gate) -> Rung | None:
        """The rung of a gate; None without a ladder."""
        return self.ladder.rung(gate.command) if self.ladder else None

    def further(self, gate: Gate) -> tuple[Rung, ...]:
        """The rungs beyond its own that the user may grant the gate. Empty if the tip was landed by Shiftwork: a test
        that an agent has written must not free its gate from the sandbox by failing in it.
        """
        now = self.rung(gate)
        if self.ladder is None or now is None or self.tip_is_landed:
            return ()
        return tuple(rung for rung in self.ladder.rungs if rung.needs_consent and rung > now)

    def _unknown(self) -> tuple[str, ...]:
        return self.ladder.unknown(gate.command for gate in self.examiner.gates) if self.ladder else ()

    async def _climbed(self, ladder: Ladder, fresh: tuple[str, ...], marker: str, begun: Begun) -> GateReport:
        """Each untried gate moves up to the first rung on which the base passes. Rungs that need consent are only for
        the user to grant.
        """
        ladder.put(fresh, Rung.CUT)
        report = await self.examiner.base(self.tip, marker, begun, again=True)
        failed = {result.name for result in report.results if not result.passed}
        stuck = tuple(gate for gate in self.examiner.gates if gate.command in fresh and gate.name in failed)
        red = failed
        if stuck and Rung.OWN in ladder.tried:
            ladder.put((gate.command for gate in stuck), Rung.OWN)
            again = await replace(self.examiner, gates=stuck).base(self.tip, marker, begun, again=True)
            newer = {result.name: result for result in again.results}
            report = replace(report, results=tuple(newer.get(result.name, result) for result in report.results))
            red = {result.name for result in again.results if not result.passed}
        ladder.forget(gate.command for gate in stuck if gate.name in red)
        ladder.keep()
        return report

    async def sights(
        self, report: GateReport, marker: str, on_sight: Callable[[GateSight], None] = ignore_sight
    ) -> tuple[GateSight, ...]:
        return await self.examiner.sights(report, marker, on_sight=on_sight)

    async def find_lacking(self, needed: Sequence[Needed], marker: str) -> tuple[Needed, ...]:
        """Those that gates do not have on the tip. Programs that are on the path of this machine need no gate tree."""
        path = self.gates.setup.shell.env.get("PATH")
        asked = [item for item in needed if not item.program or shutil.which(item.program, path=path) is None]
        return await self.examiner.find_lacking(self.tip, asked, marker) if asked else ()

    async def prepared(self) -> Prepared:
        """How the environment was prepared in the last check."""
        setup, hub = self.gates.setup, self.gates.hub
        benches = self.gates.benches.values()
        names = [bench.environment.name for bench in benches if bench.environment]
        return Prepared(
            wanted=bool(setup.command),
            seconds=max((bench.seconds for bench in benches), default=0.0),
            reused=bool(names) and not setup.environments(hub).made.intersection(names),
            failure=await setup.failure(hub, self.tip),
        )


async def open_base(
    site: Site, settings: Settings, env: Mapping[str, str], branch: str, gates: tuple[Gate, ...] | None = None
) -> BaseCheck:
    """`gates` are those of a run, if they differ from those in the settings."""
    hub = await open_hub_here(site, _HARNESS, env)
    registries = await registries_in_force(site, settings, env)
    sandboxes = await open_sandboxes(site, settings, env, lenders(hub), registries)
    runner = GitGates(
        hub=hub,
        setup=build_setup(site, settings, env, sandboxes),
        hosts=frozenset(settings.proof.hosts),
        recalls=False,
    )
    examiner = Examiner(
        runner=runner,
        canary=GitCanary(gates=runner),
        gates=settings.gate_list if gates is None else gates,
        protection=settings.proof.protection,
    )
    tip = await GitRepository(hub=hub).tip(branch)
    asked = ("log", "-1", f"--format=%(trailers:key={RUN},valueonly)", tip)
    return BaseCheck(
        tip=tip,
        gates=runner,
        examiner=examiner,
        ladder=sandboxes.gates if isinstance(sandboxes.gates, Ladder) else None,
        confined=sandboxes.tier != "none",
        tip_is_landed=bool((await hub.git.run(*asked)).text.strip()),
    )
