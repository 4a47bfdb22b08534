"""The package registries that sandboxes allow, and the sandbox of the setup command, which installs from them."""

import asyncio
from collections.abc import Mapping

from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.adapters.sandbox.ladder import Ladder
from shiftwork.adapters.sandbox.network.proxy import Pass
from shiftwork.adapters.sandbox.sandbox import OPEN, Sandbox
from shiftwork.config.registries.addresses import NO_REGISTRIES, Registries
from shiftwork.config.registries.discovery import Surroundings, find_registries
from shiftwork.config.registries.project_registries import project_hosts
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site
from shiftwork.config.trust.agreement import NOTHING_AGREED, Agreed
from shiftwork.config.trust.gate_consents import GateConsents
from shiftwork.domain.gates.rung import Rung
from shiftwork.records import replace

TABLE = "sandbox.setup"


async def registries_in_force(site: Site, settings: Settings, env: Mapping[str, str]) -> Registries:
    """The registries of the package managers that the repository uses, and those that it names itself and the user has
    agreed to; none without a sandbox.
    """
    if settings.sandbox.tier == "none":
        return NO_REGISTRIES
    around = Surroundings(env=env, apart=(site.root, site.cache_home))
    found = await asyncio.to_thread(find_registries, site.root, settings.workspace.setup, around)
    return replace(found, hosts=tuple(dict.fromkeys((*found.hosts, *project_hosts(settings.agreed.registries)))))


def setup_sandbox(site: Site, settings: Settings, env: Mapping[str, str], walls: Bubblewrap, own: Pass) -> Sandbox:
    """For the setup command: on the rung `own`, with the registries of `own` and the hosts in the settings, or on the
    rung that the user has agreed to. If the settings give gates this machine's network, the setup command has it too.
    `walls` are those of gates, for a program that judges nothing.
    """
    if settings.sandbox.gates.network is True:
        return walls
    named = (*settings.sandbox.setup.host_list, *settings.sandbox.gates.host_list)
    rungs: dict[Rung, Sandbox] = {
        Rung.OWN: replace(walls, reach=replace(own, hosts=(*own.hosts, *named), table=TABLE)),
        Rung.HOST: replace(walls, network=True, reach=None),
    }
    if settings.sandbox.tier == "auto":
        rungs[Rung.UNCONFINED] = OPEN
    return Ladder(rungs=rungs, folder=site.state / "known", consented=GateConsents(site.root, env).rungs())


def setup_advice(sandbox: Sandbox, command: str, agreed: Agreed = NOTHING_AGREED) -> tuple[str, ...]:
    """What the user can do if the setup command fails in its sandbox; empty if it has the machine's network."""
    own = sandbox.rungs[Rung.OWN] if isinstance(sandbox, Ladder) and sandbox.rung(command) is Rung.OWN else None
    if not isinstance(own, Bubblewrap) or own.reach is None:
        return ()
    hosts = ", ".join(map(str, own.reach.hosts)) or "none"
    known = {host.name for host in own.reach.hosts}
    missing = ", ".join(str(host) for host in dict.fromkeys(project_hosts(agreed.unagreed)) if host.name not in known)
    return (
        *(
            [f"this repository names registries that you have not agreed to: {missing}: shiftwork trust"]
            if missing
            else []
        ),
        f'it can reach these hosts; add more with hosts = ["host.example"] under [{TABLE}]: {hosts}',
        "to give it this machine's network: shiftwork trust --gate setup --access host",
    )
