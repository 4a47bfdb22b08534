"""Which sandbox agents and gates get here: the one that the settings ask for, or none where none works."""

import os
import platform
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
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
from shiftwork.config.project import Standing
from shiftwork.config.registries.addresses import NO_REGISTRIES, Registries
from shiftwork.config.settings.sandbox import RoomSettings, SandboxSettings
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site
from shiftwork.config.trust.gate_consents import GateConsents
from shiftwork.domain.gates.rung import Rung
from shiftwork.errors import SandboxError, SettingsError
from shiftwork.search_paths import tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandboxes:
    """One for each kind of program. `missing` says why there is none though the settings would take one; it is None
    where there is one, and where the settings want none. `network` is one line for the user where agents keep this
    machine's network and nobody has asked for that; else empty.
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
        """One line for the user where the sandbox is missing that they would have by default; else empty."""
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
    """Raises SandboxError where the settings ask for a tier that does not work here: nothing is run with less than they
    ask for. With `auto` there is no sandbox then, and the result says why.

    `objects` are folders of git objects that every tree borrows from. `registries` are those that packages come from;
    who starts no work does without.
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

    # An agent starts the harness's own tools, which are of this package.
    package = Path(shiftwork.__file__).parent
    base = replace(confined("sandbox.agents", settings.sandbox.agents, package, *registries.folders), reach=None)
    gates = confined("sandbox.gates", settings.sandbox.gates, *registries.folders)
    room = settings.sandbox.gates
    every = AgentSandbox(base=base, room=settings.sandbox.agents, registries=registries)
    agents, network = await _agents(every, settings, env)
    # What holds for one holds for the other, unless there is more to try.
    if gates.reach:
        await _probe_once(gates)
    ports = tuple(dict.fromkeys((*room.ports, *registries.ports)))
    own = Pass(hosts=registries.hosts, table="sandbox.gates", ports=ports, upstream=upstream)
    ladder = room.network == "auto" and not room.hosts
    return Sandboxes(
        agents=agents,
        gates=_ladder(site, settings, env, gates, own) if ladder else gates,
        setup=setup_sandbox(site, settings, env, gates, own),
        registries=registries,
        network=network,
    )


async def _agents(sandbox: AgentSandbox, settings: Settings, env: Mapping[str, str]) -> tuple[AgentSandbox, str]:
    """The sandbox of agents, tried, and what the user must know of its network.

    Some containers allow a sandbox and no network of its own. There, with `auto`, agents keep the machine's: it is more
    than no sandbox.
    """
    every = (sandbox.of(agent, table, env) for _, table, agent in agent_tables(settings))
    tried = [one for one in every if isinstance(one, Bubblewrap)]
    reaching = next((one for one in tried if one.reach), None)
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
        told = f"agents keep this machine's network, with the services on it, because {why}"
        return replace(sandbox, own_networks=False), told
    return sandbox, unlimited(sandbox, settings)


def _ladder(site: Site, settings: Settings, env: Mapping[str, str], gates: Bubblewrap, own: Pass) -> Ladder:
    """The rungs that the tier has: who asks for bubblewrap by its name never leaves it. A network of its own with
    nothing to call is what a gate without a network has, without the proxy that would refuse everything.
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
    found = recalled(folder) if site.standing is Standing.OWN else {}
    return Ladder(rungs=rungs, folder=folder, consented=GateConsents(site.root, env).rungs(), found=found)


def kernel_guards() -> tuple[str, ...]:
    """How far the kernel's side of the sandbox goes on this machine, in words."""
    return (
        "calls to the kernel are filtered (seccomp)"
        if seccomp.program()
        else f"no filter of calls to the kernel is known for {platform.machine()}",
        "keyrings are their own" if own_keyring() else "your session keyring is shared",
        "abstract sockets of the machine are closed"
        if scoped_sockets()
        else "abstract sockets of the machine are open where its network is (closed from Linux 6.12 on)",
    )


_GB: Final = 10**9

_PROBED: Final[dict[tuple[str, bool], SandboxError | None]] = {}
"""What the probe said in this process, by the program and whether a list of hosts was tried."""


async def _probe_once(sandbox: Bubblewrap) -> None:
    """Whether namespaces can be made does not change while a command runs, and to try it takes a fifth of a second."""
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
    """What one program may use; of memory three quarters of what the machine has, unless it is said."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    memory = int(settings.memory_gb * _GB) if settings.memory_gb else whole * 3 // 4
    return Bounds(memory=memory, processes=settings.processes, disk=int(settings.disk_gb * _GB))


def _places(names: Iterable[str], home: Path, root: Path) -> tuple[Path, ...]:
    """Of the home where they begin with `~/`, else of the repository unless they are given in full; where a link is
    named, that to which it leads as well. Raises SettingsError where a link of the repository leads out of it.
    """
    found: list[Path] = []
    for name in names:
        of_home = f"{name}/".startswith("~/")
        path = home / name[2:] if of_home else root / name
        end = Path(os.path.realpath(path))
        if not of_home and not Path(name).is_absolute() and _leads_out(root, name, end):
            # Not a matter of the tier: where a sandbox is only wanted, its failure would leave none.
            raise SettingsError(
                f"sandbox: {name} is in the repository, and a link there leads out of it, to {end}",
                hint=f"remove the link, or name {end} in full, if that is what you want to show",
            )
        found += dict.fromkeys((path, end))
    return tuple(found)


def _leads_out(root: Path, name: str, end: Path) -> bool:
    """Whether a link does it: a story may have landed one. What is written out (`../data`) the user has agreed to."""
    real = Path(os.path.realpath(root))
    return end != Path(os.path.normpath(real / name)) and not end.is_relative_to(real)
