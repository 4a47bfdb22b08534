"""The tier `bubblewrap`: a program sees the system, its toolchain and its own tree, and writes only to its tree.

The sandbox starts as an empty file system, so whatever is not listed here does not exist inside. Its processes have
their own pid namespace and die with the first of them, which dies with us. Capabilities are dropped, and so is what
root could do without any: see `_KERNEL`. System calls are filtered (`seccomp`), and the user's keyrings and the
machine's abstract sockets are out of reach (`processes/supervisor/confined_thread`).

What a gate runs must not reach the processes that judge it. So /proc, which has the memory of every process as a file,
is read-only for gates, and the filter has more rules.

Rejected: `--disable-userns`, because agents may bring a bubblewrap of their own; and a separate user for each program,
which needs rights that a developer rarely has.
"""

import errno
import os
import shutil
import stat
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from shiftwork.adapters.processes.supervisor.spawn import Bounds
from shiftwork.adapters.processes.supervisor.supervise import Spawn
from shiftwork.adapters.sandbox import seccomp
from shiftwork.adapters.sandbox.lending import Lending
from shiftwork.adapters.sandbox.network.gateway import Gateway, door_file, interpreter, through_gateway
from shiftwork.adapters.sandbox.network.proxy import Pass
from shiftwork.adapters.sandbox.network.upstream_proxy import VARIABLES
from shiftwork.adapters.sandbox.sandbox import Room
from shiftwork.adapters.sandbox.toolchain import SYSTEM, Toolchain, is_system
from shiftwork.records import dataclass, replace

_STRICT: Final = (
    "--unshare-user-try",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
)

_KERNEL: Final = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr")
"""Parts of /proc where root may write without any capability; one of them restarts the machine."""

_TEMPORARY: Final = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - not used, but replaced
_SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - as above
_ETC: Final = Path("/etc")
_SCRATCH: Final = (*_TEMPORARY, Path("/run"))

_CERTIFICATES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE")
_FOLDERS: Final = ("TMPDIR", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
"""Variables that name a folder: removed if the folder does not exist inside."""


type _Mount = tuple[str, Path | None]
_EMPTY: Final[_Mount] = ("--tmpfs", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bubblewrap:
    """`program` is bubblewrap itself, `home` and `repository` are the user's. Inside, the repository is an empty
    folder, read-only except for what is mounted there. `readable` and `writable` apply to every program. If `reach` is
    set, the program can call only its hosts. `judging` is the sandbox of gates.
    """

    program: str
    home: Path
    repository: Path
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    network: bool = True
    reach: Pass | None = None
    bounds: Bounds | None = None
    judging: bool = False

    def shares_network(self, command: str) -> bool:  # noqa: ARG002 - the protocol's signature
        return self.network and not self.reach

    def enclosed(self, spawn: Spawn, room: Room) -> Spawn:
        program = _found(spawn)
        if room.house:
            room.house.mkdir(parents=True, exist_ok=True, mode=0o700)
        command, sidecar = (program, *spawn.argv[1:]), spawn.sidecar
        if self.reach:
            command, sidecar = through_gateway(command, self.reach.hosts, self.reach.ports), Gateway(self.reach)
        mounts = self._mounts(room, [program, *room.programs], spawn.env)
        if lent := self._lent(room.files, mounts):
            sidecar = Lending(lent, sidecar)
        network = ("--unshare-net",) if self.reach or not self.network else ()
        # Last: once these are read-only, nothing can be mounted there.
        empty = mounts[self.repository] == _EMPTY and self.repository != self.home
        # Who makes a user namespace writes its users to /proc.
        kernel = self.judging and not room.has_namespaces
        closed = (*((self.repository,) if empty else ()), *((Path("/proc"),) if kernel else ()), Path("/"))
        flags = (
            *_STRICT,
            *network,
            *_system(),
            *self._sized("--tmpfs", str(_SHARED_MEMORY)),
            *("--remount-ro", "/dev"),
            *(word for path in sorted(mounts, key=_depth) for word in self._sized(*_mount(path, *mounts[path]))),
            *(word for path in closed for word in ("--remount-ro", str(path))),
            "--chdir",
            str(spawn.cwd),
        )
        env = _without_places(spawn.env, (*_TEMPORARY, self.home, *_writable(mounts)))
        if network:
            # The user's proxies cannot be reached, and their addresses may contain a password.
            env = {name: value for name, value in env.items() if name.lower() not in VARIABLES}
        argv = (self.program, *flags, "--", *command)
        calls = seccomp.program(judging=self.judging and not room.attaches)
        confined = replace(spawn, argv=argv, env=env, enclosed=True, seccomp=calls, sidecar=sidecar)
        return replace(confined, bounds=self._bounds(mounts)) if self.bounds else confined

    def _lent(self, files: Mapping[Path, str], mounts: Mapping[Path, _Mount]) -> dict[Path, str]:
        """Returns the files that belong in the empty home, and not in a folder that the settings show there."""
        shown = [path for path in mounts if path != self.home and path.is_relative_to(self.home)]
        home = {place: text for place, text in files.items() if place.is_relative_to(self.home)}
        return {place: text for place, text in home.items() if not any(place.is_relative_to(path) for path in shown)}

    def _bounds(self, mounts: Mapping[Path, _Mount]) -> Bounds | None:
        """Returns the limits with the folders where the program can write: on disk, and in memory."""
        folders = tuple(source for kind, source in mounts.values() if kind == "--bind" and source)
        inside = (*(path for path, mount in mounts.items() if mount == _EMPTY), _SHARED_MEMORY)
        return replace(self.bounds, folders=folders, inside=inside) if self.bounds else None

    def _sized(self, kind: str, *words: str) -> tuple[str, ...]:
        """Limits the size of a folder that is kept in memory, if bubblewrap supports it."""
        size = ("--size", str(self.bounds.memory)) if self.bounds and kind == "--tmpfs" and _sizes(self.program) else ()
        return (*size, kind, *words)

    def _mounts(self, room: Room, programs: Iterable[str], env: Mapping[str, str]) -> dict[Path, _Mount]:
        """Returns the mounts by path; of two for the same path, the later counts."""
        mounts: dict[Path, _Mount] = dict.fromkeys(_SCRATCH, _EMPTY)
        mounts[self.repository] = _EMPTY
        if self.home.is_absolute() and self.home != Path("/"):
            mounts[self.home] = ("--bind", room.house) if room.house else _EMPTY
        toolchain = Toolchain(self.home, (self.repository,))
        # Files in the tree are visible anyway, and their links may lead wherever an agent wants.
        needed = (path for file in map(Path, programs) if not _lies_in(file, room) for path in toolchain.of_file(file))
        door = _door(self.home, self.repository) if self.reach else ()
        certificates = (Path(env[name]) for name in _CERTIFICATES if env.get(name))
        writable = (room.tree, *self.writable, *room.writable)
        mounts |= _binds("--ro-bind", (*outward(_ETC), *needed, *door, *certificates, *self.readable), writable)
        mounts |= _binds("--bind", writable, writable)
        mounts |= {place: ("--bind", folder) for place, folder in room.stand_ins.items()}
        return mounts | _binds("--ro-bind", room.readable, writable)


def _lies_in(file: Path, room: Room) -> bool:
    return any(file.is_relative_to(folder) for folder in (room.tree, *room.writable))


def _binds(kind: str, paths: Iterable[Path], writable: tuple[Path, ...]) -> dict[Path, _Mount]:
    there = (path for path in paths if path.is_absolute() and path.exists())
    return {path: (kind, path) for path in there if not _led_astray(path, writable)}


def _led_astray(path: Path, writable: tuple[Path, ...]) -> bool:
    """Whether a link leads the path out of a writable folder. A program may have made that link in an earlier run, and
    following it would show the program whatever it named.
    """
    above = [folder for folder in writable if path.is_relative_to(folder) and path != folder]
    return any(os.path.realpath(path) != str(_real(folder) / path.relative_to(folder)) for folder in above)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _mount(path: Path, kind: str, source: Path | None) -> tuple[str, ...]:
    return (kind, str(source), str(path)) if source else (kind, str(path))


def _writable(mounts: Mapping[Path, _Mount]) -> tuple[Path, ...]:
    return tuple(path for path, (kind, _) in mounts.items() if kind == "--bind")


def _depth(path: Path) -> int:
    """Deeper paths are mounted later, or they would be covered."""
    return len(path.parts)


@cache
def _sizes(program: str) -> bool:
    """Whether it supports sizes, which it does since 0.7."""
    asked = subprocess.run((program, "--help"), capture_output=True, check=False)  # noqa: S603 - the user's own
    return b"--size BYTES" in asked.stdout + asked.stderr


@cache
def _door(home: Path, repository: Path) -> tuple[Path, ...]:
    """Returns what the door needs. Cached: the same for every program, and as slow to find as the door is to run."""
    return (*Toolchain(home, (repository,)).of_file(Path(interpreter())), door_file())


@cache
def _system() -> tuple[str, ...]:
    """Cached: the same for every program, and some hundred files to look at."""
    return tuple(_shown())


def _shown() -> Iterator[str]:
    for path in (*SYSTEM, _ETC):
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    yield from ("--proc", "/proc", "--dev", "/dev")
    if os.geteuid() == 0:
        yield from _kept_from_root()


@cache
def outward(folder: Path) -> tuple[Path, ...]:
    """Returns the files outside the system that links in a folder lead to, such as the resolver's settings."""
    found = (_real(path) for path in folder.iterdir() if path.is_symlink() and path.is_file())
    return tuple(path for path in found if not is_system(path) and not path.is_relative_to("/proc"))


def _kept_from_root() -> Iterator[str]:
    """Hides what not every user may read in /etc, and makes what changes the machine in /proc read-only."""
    for name in _KERNEL:
        if os.path.lexists(f"/proc/{name}"):
            yield from ("--ro-bind", f"/proc/{name}", f"/proc/{name}")
    for folder, inner, names in _ETC.walk():
        closed = [name for name in inner if not _mode(folder / name) & stat.S_IXOTH]
        inner[:] = [name for name in inner if name not in closed]
        yield from (word for name in closed for word in ("--tmpfs", str(folder / name)))
        for path in (folder / name for name in names):
            if stat.S_ISREG(_mode(path)) and not _mode(path) & stat.S_IROTH:
                yield from ("--ro-bind", "/dev/null", str(path))


def _mode(path: Path) -> int:
    """Returns the mode of the file itself; a file that is gone by now counts as open to all."""
    try:
        return path.lstat().st_mode
    except OSError:
        return 0o777


def _found(spawn: Spawn) -> str:
    """Returns the program's path, as starting it would find it: inside, a missing program is only an exit code."""
    name = spawn.argv[0]
    place = str(spawn.cwd / name) if os.sep in name else name
    found = shutil.which(place, path=spawn.env.get("PATH", os.defpath))
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    return found


def _without_places(env: Mapping[str, str], inside: Iterable[Path]) -> dict[str, str]:
    rooms = tuple(inside)

    def stays(name: str, value: str) -> bool:
        return name not in _FOLDERS or any(Path(value).is_relative_to(room) for room in rooms)

    return {name: value for name, value in env.items() if stays(name, value)}
