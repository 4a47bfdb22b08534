"""Which walls the settings ask for around agents and gates, and whether they can be had here."""

import os
import platform
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import shiftwork
from shiftwork.adapters.processes.confining import own_keyring, scoped_sockets
from shiftwork.adapters.sandbox import seccomp
from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.adapters.sandbox.probe import ELSEWHERE, MISSING, probe
from shiftwork.adapters.sandbox.proxy import Pass
from shiftwork.adapters.sandbox.toolchain import Toolchain
from shiftwork.adapters.sandbox.walls import OPEN, Sandbox
from shiftwork.config.settings import RoomSettings, Settings
from shiftwork.config.site import Site
from shiftwork.errors import SandboxError


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandboxes:
    """One a kind of program."""

    agents: Sandbox = OPEN
    gates: Sandbox = OPEN


async def open_sandboxes(
    site: Site, settings: Settings, env: Mapping[str, str], objects: Iterable[Path] = ()
) -> Sandboxes:
    """Raises SandboxError where the tier that the settings ask for cannot be had: nothing is ever run with less.

    `objects` are folders of git objects that every tree borrows from.
    """
    if settings.sandbox.tier == "none":
        return Sandboxes()
    if sys.platform != "linux":
        raise SandboxError('the tier "bubblewrap" is there on Linux alone', hint=ELSEWHERE)
    program = shutil.which("bwrap", path=env.get("PATH", os.defpath))
    if program is None:
        raise SandboxError('the settings ask for the tier "bubblewrap", and there is no bwrap here', hint=MISSING)
    home = Path(env.get("HOME") or Path.home())
    folders = [Path(name) for name in env.get("PATH", os.defpath).split(os.pathsep) if name]
    tools = Toolchain(home, (site.root,)).of_folders(folders)

    def walls(table: str, room: RoomSettings, *more: Path) -> Bubblewrap:
        return Bubblewrap(
            program=program,
            home=home,
            repository=site.root,
            readable=(*tools, *objects, *more, *_places(room.readable, home, site.root)),
            writable=_places(room.writable, home, site.root),
            network=room.network,
            reach=Pass(hosts=room.host_list, table=table) if room.hosts else None,
        )

    # An agent starts the harness's own tools, which are of this package.
    agents = walls("sandbox.agents", settings.sandbox.agents, Path(shiftwork.__file__).parent)
    gates = walls("sandbox.gates", settings.sandbox.gates)
    # One speaks for both, unless there is more to try.
    for one in (gates, agents) if agents.reach else (gates,):
        await probe(one)
    return Sandboxes(agents=agents, gates=gates)


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


def _places(names: Iterable[str], home: Path, root: Path) -> tuple[Path, ...]:
    """Of the home where they begin with `~/`, else of the repository unless they are given in full; where a link is
    named, that to which it leads as well.
    """
    given = (home / name[2:] if f"{name}/".startswith("~/") else root / name for name in names)
    return tuple(place for path in given for place in dict.fromkeys((path, Path(os.path.realpath(path)))))
