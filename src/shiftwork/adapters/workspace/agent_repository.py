"""The agent's own repository in its tree: disposable, laid by plain file writes, so that making it runs no git."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.files import erase, open_up, write_new
from shiftwork.adapters.workspace.git import quoted
from shiftwork.adapters.workspace.hub import Hub
from shiftwork.bounded import read_bytes
from shiftwork.domain.model.ids import Commit

_LONGEST: Final = 1024 * 1024

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


def lenders(hub: Hub) -> tuple[Path, ...]:
    """Every folder of objects that such a repository reads: the hub's, the user's, and those that the user borrows."""
    found: dict[Path, None] = dict.fromkeys((hub.path / "objects", hub.objects))
    waiting = list(found)
    for objects in waiting:
        listed = objects / "info" / "alternates"
        names = _lines(listed)
        more = [(objects / os.fsdecode(name)).resolve() for name in names if name and not name.startswith(b"#")]
        waiting += [folder for folder in more if folder not in found]
        found.update(dict.fromkeys(more))
    return tuple(found)


def _lines(file: Path) -> list[bytes]:
    """Nothing of what is no regular file, or is longer than any list of folders."""
    try:
        return read_bytes(file, _LONGEST).splitlines()
    except OSError:
        return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """What such a repository begins with: copies of an index and of rules by which files are ignored."""

    index: Path
    excludes: Path
    branch: str
    commit: Commit


def lay_repository(hub: Hub, tree: Path, laid: Laid) -> None:
    """Replace whatever stands at `.git` by a repository on the branch at the commit.

    The objects are borrowed from the hub and the user, which an agent may read and never needs to write.
    """
    open_up(tree)
    erase(tree / ".git")
    ref = f"refs/heads/shiftwork/{laid.branch}"
    borrowed = (hub.path / "objects", hub.objects)
    excludes = laid.excludes.read_bytes()
    # As few files and folders as git takes for a repository, and paths as plain text: every step and every check of a
    # candidate waits for them.
    folder = f"{tree}/.git"
    for name in ("", "/refs", "/objects", "/objects/info", *(("/info",) if excludes else ())):
        os.mkdir(folder + name)  # noqa: PTH102 - see above
    write_new(f"{folder}/HEAD", f"ref: {ref}\n".encode())
    write_new(f"{folder}/packed-refs", f"{laid.commit} {ref}\n".encode())
    write_new(f"{folder}/config", _config(hub).encode(errors="surrogateescape"))
    write_new(f"{folder}/objects/info/alternates", b"".join(os.fsencode(one) + b"\n" for one in borrowed))
    if excludes:
        write_new(f"{folder}/info/exclude", excludes)
    # With its time: git reads again every file that is as young as the index that lists it.
    shutil.copy2(laid.index, f"{folder}/index")


def _config(hub: Hub) -> str:
    plain = hub.object_format == "sha1"
    return _CONFIG.format(
        version=0 if plain else 1,
        extensions="" if plain else f"[extensions]\n\tobjectformat = {hub.object_format}\n",
        carried=hub.carried,
        name=quoted(hub.identity.name),
        email=quoted(hub.identity.email),
    )
