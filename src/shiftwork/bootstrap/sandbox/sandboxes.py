"""Chooses the sandbox for agents and gates: the tier in the settings, or none if no sandbox works here."""

import os
import platform
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import shiftwork
from shiftwork.adapters.processes.supervisor.confined_thread import own_keyring, scoped_sockets
from shiftwork.adapters.processes.supervisor.spawn import Bounds
from shiftwork.adapters.sandbox import seccomp
from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.adapters.sandbox.ladder import Ladder, recalled
from shiftwork.adapters.sandbox.network.proxy import Pass
from shiftwork.adapters.sandbox.network.upstream_proxy import read_upstream
from shiftwork.adapters.sandbox.probe import ELSEWHERE, MISSING, probe
from shiftwork.adapters.sandbox.sandbox import OPEN, Sandbox
from shiftwork.adapters.sandbox.toolchain import Toolchain
from shiftwork.bootstrap.sandbox.agent_network import AgentSandbox, agent_tables, unlimited
from shiftwork.bootstrap.sandbox.registries import setup_sandbox
from shiftwork.config.project import Ownership
from shiftwork.config.registries.addresses import NO_REGISTRIES, Registries
from shiftwork.config.settings.sandbox import RoomSettings, SandboxSettings
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site
from shiftwork.config.trust.gate_consents import GateConsents
from shiftwork.domain.gates.rung import Rung
from shiftwork.errors import SandboxError, SettingsError
from shiftwork.records import dataclass, replace
from shiftwork.search_paths import tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandboxes:
    """A sandbox for each kind of program. `missing` says why there is none although the settings allow one; it is None
    if there is one, or if the settings turn it off. `network` is a line for the user if agents keep this machine's
    network without being configured to; else empty.
    """

    agents: AgentSandbox = AgentSandbox()
    gates: Sandbox = OPEN
    setup: Sandbox = OPEN
    registries: Registries = NO_REGISTRIES
    missing: SandboxError | None = None
    network: str = ""

    @property
    def tier(self) -> str:
        """The tier in force."""
        return "none" if self.gates is OPEN else "bubblewrap"

    @property
    def note(self) -> str:
        """A line for the user if the default sandbox is not available; else empty."""
        if self.missing is None:
            return ""
        why = " ".join(self.missing.message.split())
        return f"no sandbox: agents and gates run with your rights, because {why}; shiftwork doctor says what to do"


async def open_sandboxes(
    site: Site,
    settings: Settings,
    env: Mapping[str, str],
    objects: Iterable[Path] = (),
    registries: Registries = NO_REGISTRIES,
) -> Sandboxes:
    """Raises SandboxError if the settings require a tier that does not work here: nothing runs with a weaker one. With
    `auto` there is no sandbox then, and the result says why.

    `objects` are folders of git objects that every tree borrows from. `registries` are the package registries; callers
    that start no work leave them out.
    """
    if settings.sandbox.tier == "none":
        return Sandboxes()
    try:
        return await _confined(site, settings, env, objects, registries)
    except SandboxError as error:
        if settings.sandbox.tier != "auto":
            raise
        return Sandboxes(missing=error)


async def _confined(
    site: Site, settings: Settings, env: Mapping[str, str], objects: Iterable[Path], registries: Registries
) -> Sandboxes:
    if sys.platform != "linux":
        raise SandboxError("bubblewrap exists on Linux only", hint=ELSEWHERE)
    program = tool("bwrap", env, (site.root, site.cache_home))
    if not program:
        raise SandboxError("the program bwrap is not installed", hint=MISSING)
    home = Path(env.get("HOME") or Path.home())
    folders = [Path(name) for name in env.get("PATH", os.defpath).split(os.pathsep) if name]
    tools = Toolchain(home, (site.root,)).of_folders(folders)

    upstream = read_upstream(env)

    def confined(table: str, room: RoomSettings, *more: Path) -> Bubblewrap:
        return Bubblewrap(
            program=program,
            home=home,
            repository=site.root,
            readable=(*tools, *objects, *more, *_places(room.readable, home, site.root)),
            writable=_places(room.writable, home, site.root),
            network=bool(room.network),
            reach=Pass(hosts=room.host_list, table=table, ports=room.ports, upstream=upstream) if room.hosts else None,
            bounds=_bounds(settings.sandbox),
        )

    # An agent starts the harness's own tools, which are part of this package.
    package = Path(shiftwork.__file__).parent
    base = replace(confined("sandbox.agents", settings.sandbox.agents, package, *registries.folders), reach=None)
    setup = confined("sandbox.gates", settings.sandbox.gates, *registries.folders)
    gates = replace(setup, judging=True)
    room = settings.sandbox.gates
    every = AgentSandbox(base=base, room=settings.sandbox.agents, registries=registries)
    agents, network = await _agents(every, settings, env)
    # The probe of the agents' sandbox also covers gates, unless gates list hosts.
    if gates.reach:
        await _probe_once(gates)
    ports = tuple(dict.fromkeys((*room.ports, *registries.ports)))
    own = Pass(hosts=registries.hosts, table="sandbox.gates", ports=ports, upstream=upstream)
    ladder = room.network == "auto" and not room.hosts
    return Sandboxes(
        agents=agents,
        gates=_ladder(site, settings, env, gates, own) if ladder else gates,
        setup=setup_sandbox(site, settings, env, setup, own),
        registries=registries,
        network=network,
    )


async def _agents(sandbox: AgentSandbox, settings: Settings, env: Mapping[str, str]) -> tuple[AgentSandbox, str]:
    """The probed sandbox of agents, and what the user must know about its network.

    Some containers allow a sandbox but no separate network. There, with `auto`, agents keep the machine's network: that
    is safer than no sandbox.
    """
    every = (sandbox.of(agent, table, env) for _, table, agent in agent_tables(settings))
    tried = [item for item in every if isinstance(item, Bubblewrap)]
    reaching = next((bubblewrap for bubblewrap in tried if bubblewrap.reach), None)
    if reaching is None:
        await _probe_once(tried[0])
        return sandbox, unlimited(sandbox, settings)
    try:
        await _probe_once(reaching)
    except SandboxError as failure:
        if settings.sandbox.tier != "auto":
            raise
        await _probe_once(replace(reaching, reach=None))
        why = " ".join(failure.message.split())
        message = f"agents keep this machine's network, with the services on it, because {why}"
        return replace(sandbox, own_networks=False), message
    return sandbox, unlimited(sandbox, settings)


def _ladder(site: Site, settings: Settings, env: Mapping[str, str], gates: Bubblewrap, own: Pass) -> Ladder:
    """The rungs of the tier: with the explicit tier bubblewrap, gates never leave the sandbox. An own network without
    hosts is the same as no network, so it needs no proxy.
    """
    cut = replace(gates, network=False)
    rungs: dict[Rung, Sandbox] = {
        Rung.CUT: cut,
        Rung.OWN: replace(gates, reach=own) if own.hosts or own.ports else cut,
        Rung.HOST: gates,
    }
    if settings.sandbox.tier == "auto":
        rungs[Rung.UNCONFINED] = OPEN
    folder = site.state / "known"
    found = recalled(folder) if site.ownership is Ownership.OWN else {}
    return Ladder(rungs=rungs, folder=folder, consented=GateConsents(site.root, env).rungs(), found=found)


def kernel_guards() -> tuple[str, ...]:
    """How much the kernel protects on this machine, as text."""
    return (
        "system calls are filtered (seccomp)"
        if seccomp.program()
        else f"there is no system call filter for {platform.machine()}",
        "keyrings are private" if own_keyring() else "your session keyring is shared",
        "abstract sockets of the machine are closed"
        if scoped_sockets()
        else "abstract sockets of the machine are open to programs with its network (closed from Linux 6.12 on)",
    )


_GB: Final = 10**9

_PROBED: Final[dict[tuple[str, bool], SandboxError | None]] = {}
"""The results of the probe in this process, by program and by whether a list of hosts was tried."""


async def _probe_once(sandbox: Bubblewrap) -> None:
    """Probes once per process: the result does not change while a command runs, and a probe takes a fifth of a
    second.
    """
    key = (sandbox.program, sandbox.reach is not None)
    if key not in _PROBED:
        try:
            await probe(sandbox)
        except SandboxError as error:
            _PROBED[key] = error
        else:
            _PROBED[key] = None
    if (failure := _PROBED[key]) is not None:
        raise SandboxError(failure.message, hint=failure.hint)


def _bounds(settings: SandboxSettings) -> Bounds:
    """The limits of a program; by default three quarters of the machine's memory."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    memory = int(settings.memory_gb * _GB) if settings.memory_gb else whole * 3 // 4
    return Bounds(memory=memory, processes=settings.processes, disk=int(settings.disk_gb * _GB))


def _places(names: Iterable[str], home: Path, root: Path) -> tuple[Path, ...]:
    """Resolve names: `~/` is the home, relative names are in the repository, absolute names are unchanged; for a link,
    its target is included too. Raises SettingsError if a link in the repository leads out of it.
    """
    found: list[Path] = []
    for name in names:
        of_home = f"{name}/".startswith("~/")
        path = home / name[2:] if of_home else root / name
        end = Path(os.path.realpath(path))
        if not of_home and not Path(name).is_absolute() and _leads_out(root, name, end):
            # Not a SandboxError: with the tier `auto` that would turn the sandbox off.
            raise SettingsError(
                f"sandbox: {name} is in the repository, but a link there leads out of it, to {end}",
                hint=f"remove the link, or name {end} in full, if that is what you want to show",
            )
        found += dict.fromkeys((path, end))
    return tuple(found)


def _leads_out(root: Path, name: str, end: Path) -> bool:
    """Whether a link leads out of the repository: a story may have landed it. A written-out `../data` has the user's
    consent.
    """
    real = Path(os.path.realpath(root))
    return end != Path(os.path.normpath(real / name)) and not end.is_relative_to(real)
