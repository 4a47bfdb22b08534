"""Writes a commit as git would, without starting git: every step and every landing waits for one, and a process takes
ten times as long.
"""

import hashlib
import re
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

from shiftwork.adapters.workspace.files import write_whole
from shiftwork.adapters.workspace.git import Identity
from shiftwork.domain.model.ids import Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What a commit says."""

    tree: str
    parent: Commit
    identity: Identity
    at: float
    message: str


def write_commit(objects: Path, object_format: str, snapshot: Snapshot) -> Commit:
    """Write the commit as a loose object and give its name; writing it again changes nothing."""
    who = f"{_plain(snapshot.identity.name)} <{_plain(snapshot.identity.email)}> {_moment(snapshot.at)}"
    lines = (f"tree {snapshot.tree}", f"parent {snapshot.parent}", f"author {who}", f"committer {who}", "")
    text = "\n".join((*lines, snapshot.message.replace("\0", "").strip(), "")).encode(errors="replace")
    content = b"commit %d\0" % len(text) + text
    name = hashlib.new(object_format, content).hexdigest()
    path = objects / name[:2] / name[2:]
    if not path.exists():
        write_whole(path, zlib.compress(content, level=1))
    return Commit(name)


def _moment(at: float) -> str:
    """In the time zone of the user, as in commits of their own."""
    return f"{int(at)} {time.strftime('%z', time.localtime(at))}"


def _plain(text: str) -> str:
    """A name or address without what would end it early."""
    return re.sub(r"[<>\n\0]", "", text).strip()
