"""Writes a commit as git would, without starting git: every step and every landing waits for a commit, and a process
takes ten times as long.
"""

import hashlib
import re
import time
import zlib
from pathlib import Path

from shiftwork.adapters.workspace.git.git import Identity
from shiftwork.adapters.workspace.tree.untrusted_files import write_whole
from shiftwork.domain.core.ids import Commit
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The content of a commit."""

    tree: str
    parent: Commit
    identity: Identity
    at: float
    message: str


def commit_text(snapshot: Snapshot) -> bytes:
    who = f"{_plain(snapshot.identity.name)} <{_plain(snapshot.identity.email)}> {_moment(snapshot.at)}"
    head = (f"tree {snapshot.tree}", f"parent {snapshot.parent}", f"author {who}", f"committer {who}")
    return "\n".join(head).encode(errors="replace") + b"\n\n" + _said(snapshot.message)


def reworded(text: bytes, parent: Commit, message: str) -> bytes:
    """The commit with another parent and message; tree, author and times stay the same."""
    tree, *others = text.partition(b"\n\n")[0].split(b"\n")
    kept = [line for line in others if line.startswith((b"author ", b"committer "))]
    return b"\n".join((tree, b"parent " + parent.encode(), *kept)) + b"\n\n" + _said(message)


def _said(message: str) -> bytes:
    return message.replace("\0", "").strip().encode(errors="replace") + b"\n"


def read_commit(objects: Path, commit: Commit) -> bytes | None:
    """The text of a commit that is a loose object; None if it is not."""
    try:
        content = zlib.decompress((objects / commit[:2] / commit[2:]).read_bytes())
    except (OSError, zlib.error):
        return None
    return content.partition(b"\0")[2]


def is_named(commit: Commit, object_format: str, text: bytes) -> bool:
    """Whether this is the text of the commit: git itself does not check that when reading."""
    return hashlib.new(object_format, b"commit %d\0" % len(text) + text).hexdigest() == commit


def write_commit(objects: Path, object_format: str, text: bytes) -> Commit:
    """Writes the commit as a loose object and returns its name; writing it again changes nothing."""
    content = b"commit %d\0" % len(text) + text
    name = hashlib.new(object_format, content).hexdigest()
    path = objects / name[:2] / name[2:]
    if not path.exists():
        write_whole(path, zlib.compress(content, level=1))
    return Commit(name)


def _moment(at: float) -> str:
    """In the user's time zone, as in their own commits."""
    return f"{int(at)} {time.strftime('%z', time.localtime(at))}"


def _plain(text: str) -> str:
    """A name or address without characters that would end it early."""
    return re.sub(r"[<>\n\0]", "", text).strip()
