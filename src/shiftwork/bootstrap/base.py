"""The base that work starts from, looked at before any work is paid for: its environment, its gates, what they see."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from shiftwork.adapters.workspace.agent_repository import lenders
from shiftwork.adapters.workspace.canary import GitCanary
from shiftwork.adapters.workspace.gates import GitGates
from shiftwork.adapters.workspace.git import Identity
from shiftwork.adapters.workspace.hub import open_hub
from shiftwork.adapters.workspace.landing import GitRepository
from shiftwork.app.canary import Examiner, unheard
from shiftwork.bootstrap.sandboxing import open_sandboxes
from shiftwork.bootstrap.setup import build_setup
from shiftwork.config.settings import Settings
from shiftwork.config.site import Site
from shiftwork.domain.model.canary import GateSight
from shiftwork.domain.model.gate import Gate, GateReport
from shiftwork.domain.model.ids import Commit
from shiftwork.ports.workspace import Begun, unwatched

_HARNESS = Identity(name="Shiftwork", email="shiftwork@localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The environment in which gates ran: how long it took to have it in their tree, and whether it was there before.
    `failure` says why there is none though the settings have a setup command. `wanted` is false where they have none.
    """

    wanted: bool
    seconds: float
    reused: bool
    failure: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseCheck:
    """`tip` is the commit that work would start from."""

    tip: Commit
    gates: GitGates
    examiner: Examiner

    @property
    def is_first(self) -> bool:
        """Whether no gate was ever examined in this repository."""
        return not any((self.gates.hub.state / "known").glob("sight-*"))

    async def known(self) -> tuple[GateSight, ...] | None:
        """What is known of every gate, where nothing need be run to know it and the base is known to be green."""
        return await self.examiner.known(self.tip)

    async def report(self, marker: str, begun: Begun = unwatched, *, again: bool = False) -> GateReport:
        """What gates say of the tip; those that were green before run `again` only if that is asked for. Raises
        RepositoryError where they cannot be run at all.
        """
        return await self.examiner.base(self.tip, marker, begun, again=again)

    async def sights(
        self, report: GateReport, marker: str, heard: Callable[[GateSight], None] = unheard
    ) -> tuple[GateSight, ...]:
        return await self.examiner.sights(report, marker, heard=heard)

    async def prepared(self) -> Prepared:
        """What became of the environment in the last check."""
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
    """`gates` are those of a run, where they are not just those of the settings."""
    hub = await open_hub(root=site.root, state=site.state, cache=site.cache, identity=_HARNESS, env=env)
    sandboxes = await open_sandboxes(site, settings, env, lenders(hub))
    runner = GitGates(
        hub=hub,
        setup=build_setup(site, settings, env, sandboxes.gates),
        hosts=frozenset(settings.proof.hosts),
        recalls=False,
    )
    examiner = Examiner(
        runner=runner,
        canary=GitCanary(gates=runner),
        gates=settings.gate_list if gates is None else gates,
        protection=settings.proof.protection,
    )
    return BaseCheck(tip=await GitRepository(hub=hub).tip(branch), gates=runner, examiner=examiner)
