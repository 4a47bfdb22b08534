"""The agent's own repository in its tree: disposable, written as plain files, so that creating it runs no git."""

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git.git import quoted
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.adapters.workspace.tree.untrusted_files import erase, open_up, write_new
from shiftwork.bounded import read_bytes
from shiftwork.domain.core.ids import Commit
from shiftwork.errors import TrustError, UnfitRepositoryError
from shiftwork.records import dataclass
from shiftwork.regexes import regex

ALTERNATES: Final = "objects/info/alternates"
"""The key for folders with borrowed objects among the things that the user agrees to."""

_LONGEST: Final = 1024 * 1024
_INDEX: Final = "index"

_CONFIG: Final = """\
[core]
	repositoryformatversion = {version}
	bare = false
	logallrefupdates = true
{extensions}{carried}[user]
	name = {name}
	email = {email}
[commit]
	gpgsign = false
[tag]
	gpgsign = false
[gc]
	auto = 0
"""


_LENT: Final = regex(r"[0-9a-f]{2}|pack|info|(tmp|incoming)[_-].*")
"""Names in a folder of objects."""


def lenders(hub: Hub) -> tuple[Path, ...]:
    """Every folder of objects that such a repository reads, and that an agent can therefore read: the hub's, the
    user's, and those that the user borrows from and has agreed to share. Raises TrustError for any other folder,
    because the file can name any folder.
    """
    borrowed = [folder for folder in borrows(hub.objects) if folder not in (hub.objects, hub.path / "objects")]
    for folder in borrowed:
        if (ALTERNATES, str(folder)) not in hub.user.agreed:
            raise TrustError(
                f"this repository borrows objects from {folder}, which agents could read, and you have not agreed",
                hint="shiftwork trust, if it is your repository; or copy them all here: "
                "git repack -a -d && rm .git/objects/info/alternates",
            )
    return (hub.path / "objects", hub.objects, *borrowed)


def borrows(objects: Path) -> list[Path]:
    """The folders that a folder of objects borrows from, recursively. Raises UnfitRepositoryError if one of them is not
    a folder of objects of this user.
    """
    found: dict[Path, None] = {}
    waiting = [objects]
    for lender in waiting:
        names = _lines(lender / "info" / "alternates")
        more = [(lender / os.fsdecode(name)).resolve() for name in names if name and not name.startswith(b"#")]
        new = [folder for folder in more if folder not in found and folder.exists()]
        for folder in new:
            _check_lender(folder)
        found.update(dict.fromkeys(new))
        waiting += new
    return list(found)


def _check_lender(folder: Path) -> None:
    owned = folder.is_dir() and folder.stat().st_uid in (os.geteuid(), 0)
    if not owned or not all(_LENT.fullmatch(name) for name in os.listdir(folder)):  # noqa: PTH208 - only names
        raise UnfitRepositoryError(
            f".git/objects/info/alternates names {folder}, which is not a folder of git objects that you own",
            hint="see what it is: cat .git/objects/info/alternates; then remove that line",
        )


def _lines(file: Path) -> list[bytes]:
    """The lines of a file; empty if it is not a regular file, or longer than any list of folders."""
    try:
        return read_bytes(file, _LONGEST).splitlines()
    except OSError:
        return []


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialContent:
    """Initial content of such a repository: copies of an index, of ignore rules and of the user's `branches`."""

    index: Path
    excludes: Path
    branch: str
    commit: Commit
    branches: Mapping[str, Commit]


def lay_repository(hub: Hub, tree: Path, laid: InitialContent) -> None:
    """Replaces anything at `.git` by a repository on the branch at the commit.

    It borrows objects from the hub and the user, which an agent may read and never needs to write. A repository that
    nobody has added anything to is brought up to date in place: removing files and creating them again may take longer
    than the whole rest of a step.
    """
    open_up(tree)
    folder, files = f"{tree}/.git", _files(hub, laid)
    times = laid.index.stat()
    if not _brought_up_to_date(folder, files):
        erase(tree / ".git")
        # As few files and folders as git accepts as a repository, and paths as plain strings: every step and every
        # check of a candidate waits for them.
        for name in _names(files):
            os.mkdir(f"{folder}/{name}")  # noqa: PTH102 - see above
        for name, content in files.items():
            write_new(f"{folder}/{name}", content)
    # With its time: git reads every file again that is as new as the index that lists it.
    os.utime(f"{folder}/{_INDEX}", ns=(times.st_atime_ns, times.st_mtime_ns), follow_symlinks=False)


def _files(hub: Hub, laid: InitialContent) -> dict[str, bytes]:
    ref, borrowed = f"refs/heads/{laid.branch}", (hub.path / "objects", hub.objects)
    excludes = laid.excludes.read_bytes()
    return {
        "HEAD": f"ref: {ref}\n".encode(),
        "packed-refs": os.fsencode(f"{laid.commit} {ref}\n{_others(ref, laid.branches)}"),
        "config": _config(hub).encode(errors="surrogateescape"),
        "objects/info/alternates": b"".join(os.fsencode(path) + b"\n" for path in borrowed),
        **({"info/exclude": excludes} if excludes else {}),
        _INDEX: laid.index.read_bytes(),
    }


def _names(files: Iterable[str]) -> dict[str, set[str]]:
    """The names in each folder of such a repository; folders come before those below them."""
    names: dict[str, set[str]] = {"": set(), "refs": set(), "objects": set(), "objects/info": set()}
    for path in (*files, "refs", "objects", "objects/info"):
        folder, _, name = path.rpartition("/")
        if folder not in names:
            names[folder] = set()
            names[""].add(folder)
        names[folder].add(name)
    return names


def _brought_up_to_date(folder: str, files: Mapping[str, bytes]) -> bool:
    """Writes what differs; false if anything is not exactly as we would make it, apart from the content of files."""
    try:
        for name, expected in _names(files).items():
            path = f"{folder}/{name}".rstrip("/")
            if not _is_own(os.lstat(path), stat.S_IFDIR | stat.S_IRWXU) or set(os.listdir(path)) != expected:  # noqa: PTH208 - only names
                return False
        return all(_has_content(f"{folder}/{name}", content) for name, content in files.items())
    except OSError:
        return False


def _has_content(path: str, content: bytes) -> bool:
    """Overwrites a plain file that has no second name; false if it is anything else."""
    file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(file)
        if not _is_own(status, stat.S_IFREG | stat.S_IRUSR | stat.S_IWUSR) or status.st_nlink != 1:
            return False
        if status.st_size != len(content) or os.pread(file, len(content), 0) != content:
            os.ftruncate(file, 0)
            written = 0
            while written < len(content):
                written += os.pwrite(file, content[written:], written)
    finally:
        os.close(file)
    return True


def _is_own(status: os.stat_result, mode: int) -> bool:
    """Whether it is of that type, belongs to this user and has at least these permissions."""
    kind = stat.S_IFMT(status.st_mode) == stat.S_IFMT(mode)
    return kind and status.st_uid == os.geteuid() and status.st_mode & mode == mode


def _others(own: str, branches: Mapping[str, Commit]) -> str:
    """Further refs, without any that git would not store beside the agent's own: one is a folder for the other."""
    refs = {f"refs/heads/{name}": commit for name, commit in branches.items()}
    kept = {ref: commit for ref, commit in refs.items() if not f"{own}/".startswith(f"{ref}/")}
    return "".join(f"{commit} {ref}\n" for ref, commit in kept.items() if not ref.startswith(f"{own}/"))


def _config(hub: Hub) -> str:
    plain = hub.object_format == "sha1"
    return _CONFIG.format(
        version=0 if plain else 1,
        extensions="" if plain else f"[extensions]\n\tobjectformat = {hub.object_format}\n",
        carried=hub.carried,
        name=quoted(hub.identity.name),
        email=quoted(hub.identity.email),
    )
