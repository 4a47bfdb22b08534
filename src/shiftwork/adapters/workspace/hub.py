"""The hub: a bare repository beside the user's that borrows their objects, and holds what agents have made.

In the state folder lie `hub.git`, `git/` (what the harness's git is to ignore in work from each checkout), `indexes/`
(the indexes of the trees, out of agents' reach) and `set-aside/` (what git could not store). The trees themselves lie
in `workspaces/` of the cache folder, outside of the user's repository: no tool finds the user's configuration or
packages above them.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.workspace.files import check_unlinked, erase, outlast, write_whole
from shiftwork.adapters.workspace.fitness import mending, stopped_filters, unsupported
from shiftwork.adapters.workspace.git import Git, Identity, harness_git, nowhere, quoted, user_git
from shiftwork.adapters.workspace.leased import alone
from shiftwork.adapters.workspace.objects import Snapshot, commit_text, is_named, read_commit, reworded, write_commit
from shiftwork.bounded import read_bytes
from shiftwork.domain.model.ids import Commit
from shiftwork.errors import RepositoryError, TrustError, UnfitRepositoryError
from shiftwork.ports.workspace import Place

_NAME_CHARACTERS: Final = 60
_COMMITS_KNOWN: Final = 1000

_CARRIED: Final = "core.(autocrlf|eol)"
"""The user's settings that decide what is in a file: trees of the harness must read like theirs."""

_PROBED: Final = ("filemode", "ignorecase", "symlinks", "precomposeunicode")
"""What depends on the file system: another one may hold the trees than the user's repository."""

_SETTINGS: Final = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "core.attributesFile": "/dev/null",
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "core.createObject": "rename",
    "core.commitGraph": "false",
    "core.sharedRepository": "0600",
    "safe.bareRepository": "explicit",
    "protocol.allow": "never",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
    "diff.ignoreSubmodules": "all",
    "merge.conflictStyle": "zdiff3",
    "advice.addEmbeddedRepo": "false",
    "advice.detachedHead": "false",
}
"""All that the harness's git goes by, with the user's settings that are carried over."""

_OWN_CONFIG: Final = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
_OWN_CONFIG_SHA256: Final = (
    "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
)
"""The hub's own file, which git reads whatever it is told. It is sealed: a filter that somebody adds would be run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """Made by `open_hub`. `git` runs on the hub, `user` in the user's repository."""

    root: Path
    state: Path
    cache: Path
    common: Path
    objects: Path
    object_format: str
    carried: str
    identity: Identity
    git: Git
    user: Git
    excludes: bytes
    trees: dict[Commit, str] = field(default_factory=dict)
    parents: dict[Commit, Commit] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return self.state / "hub.git"

    @property
    def excludes_file(self) -> Path:
        return _excludes_file(self.state, self.root)

    def pin(self, name: str, commit: Commit) -> None:
        """Point `refs/shiftwork/<name>` of the hub at the commit, so that no gc takes it.

        A file is written where `update-ref` could be run: nobody else writes to the hub's refs, and it takes a
        fiftieth of the time in what every step waits for.
        """
        write_whole(self.path / "refs" / "shiftwork" / name, f"{commit}\n".encode())

    def is_pinned(self, name: str) -> bool:
        return (self.path / "refs" / "shiftwork" / name).is_file()

    def unpin(self, name: str) -> None:
        """One pin, or all that are below the name."""
        erase(self.path / "refs" / "shiftwork" / name)

    async def commit(self, tree: str, parents: Sequence[Commit], message: str) -> Commit:
        text = message.replace("\0", "").strip() + "\n"
        arguments = [argument for parent in parents for argument in ("-p", parent)]
        answer = await self.git.run("commit-tree", tree, *arguments, "-F", "-", stdin=text.encode(errors="replace"))
        return Commit(answer.text)

    async def tree_of(self, commit: Commit) -> str:
        """The tree of a commit; the last ones are remembered, because every step asks for its parent's."""
        if commit not in self.trees:
            self.know_tree(commit, (await self.git.run("rev-parse", f"{commit}^{{tree}}")).text)
        return self.trees[commit]

    def know_tree(self, commit: Commit, tree: str) -> None:
        _remember(self.trees, commit, tree)

    def record(self, tree: str, parent: Commit, message: str) -> Commit:
        """A commit on top of one other."""
        snapshot = Snapshot(tree=tree, parent=parent, identity=self.identity, at=SystemClock().now(), message=message)
        return self._write(commit_text(snapshot), tree, parent)

    async def reword(self, commit: Commit, parent: Commit, message: str) -> Commit:
        """A commit with the tree of this one, and made by the same at the same moment: the same every time. Raises
        RepositoryError where somebody has put something else in the place of the commit.
        """
        text = read_commit(self.path / "objects", commit)
        if text is None:
            text = (await self.git.run("cat-file", "commit", commit)).out
        if not is_named(commit, self.object_format, text):
            raise RepositoryError(f"commit {commit[:12]} is not what was checked: its object was changed")
        tree = text.partition(b"\n")[0].decode().removeprefix("tree ")
        return self._write(reworded(text, parent, message), tree, parent)

    def _write(self, text: bytes, tree: str, parent: Commit) -> Commit:
        commit = write_commit(self.path / "objects", self.object_format, text)
        self.know_tree(commit, tree)
        _remember(self.parents, commit, parent)
        return commit

    async def contains(self, commit: Commit, ancestor: Commit) -> bool:
        """Whether the commit is the ancestor or stands on it; along commits that were recorded here, without git."""
        while commit != ancestor and commit in self.parents:
            commit = self.parents[commit]
        if commit == ancestor:
            return True
        return (await self.git.run("merge-base", "--is-ancestor", ancestor, commit, accept=(0, 1))).code == 0

    async def share(self, commit: Commit, known: Iterable[str]) -> None:
        """Give the user's repository the commit and what it stands on, as far as not reachable from `known`.

        Not taken: `fetch` from the hub. It does the same in four times the time.
        """
        wanted = "".join(f"{line}\n" for line in (commit, *(f"^{one}" for one in known))).encode()
        with tempfile.TemporaryFile(dir=self.state) as pack:
            await self.git.run("pack-objects", "-q", "--revs", "--stdout", stdin=wanted, stdout=pack.fileno())
            pack.seek(0)
            await self.user.run("unpack-objects", "-q", stdin=pack.fileno())

    async def borrow(self, place: Place, commit: Commit) -> None:
        """Keep the commit in the user's repository while the place lasts: a gc of theirs must not break our objects."""
        pin = _borrowed(place)
        if (await self.user.run("update-ref", pin, commit, accept=(0, 1, 128))).code:
            await outlast(self.common / f"{pin}.lock")
            heads = await self.user.run("for-each-ref", "--format=%(objectname)", "refs/heads", "refs/shiftwork")
            await self.share(commit, set(heads.text.splitlines()))
            await self.user.run("update-ref", pin, commit)

    async def give_back(self, place: Place) -> None:
        await self.user.run("update-ref", "-d", _borrowed(place), accept=(0, 1))

    def exclude(self, names: Iterable[str], installed: Iterable[str] = ()) -> None:
        """Let the harness's git ignore these files of the user's too, whatever an agent does to ignore rules; and what
        setup commands have `installed`. What was copied or installed ever before stays ignored: a tree of an earlier
        process may still hold it, and a list of patterns that has changed since must not let it be committed.
        """
        copied = _known(self.excludes_file.with_name(f"{self.excludes_file.name}.copied"), names)
        known = self.state / "git" / "installed"
        before = known.read_text(errors="surrogateescape").splitlines() if known.is_file() else []
        if more := [name for name in installed if name not in before]:
            before += more
            write_whole(known, os.fsencode("".join(f"{name}\n" for name in before)))
        write_whole(self.excludes_file, self.excludes + ignore_lines({*copied, *before}))


def ignore_lines(names: Iterable[str]) -> bytes:
    """Rules of git's by which exactly these are ignored."""
    patterns = (re.sub(r"([\\*?\[\] ])", r"\\\1", name) for name in sorted(names) if "\n" not in name)
    return b"".join(b"/" + os.fsencode(pattern) + b"\n" for pattern in patterns)


def _known(file: Path, names: Iterable[str]) -> set[str]:
    """The names of a file and these, which it holds from now on. Added at its end: another process may do the same."""
    before = set(os.fsdecode(file.read_bytes()).split("\0")) - {""} if file.is_file() else set[str]()
    if more := {*names} - before:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab", buffering=0) as end:
            end.write(b"".join(os.fsencode(name) + b"\0" for name in sorted(more)))
    return before | more


def _remember[T](known: dict[Commit, T], commit: Commit, what: T) -> None:
    """Keep it with the last ones."""
    known[commit] = what
    if len(known) > _COMMITS_KNOWN:
        del known[next(iter(known))]


def slug(text: str) -> str:
    """A name that is safe as a file, as a part of a ref and on a command line; different texts give different ones."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", text)[:_NAME_CHARACTERS].lstrip("-")
    if plain == text and plain:
        return plain
    return f"{plain}-{hashlib.sha256(text.encode(errors='surrogateescape')).hexdigest()[:10]}".lstrip("-")


def folder_of(place: Place) -> str:
    return f"{slug(place.run)}/{slug(place.story)}-{place.number}"


def _borrowed(place: Place) -> str:
    return f"refs/shiftwork/pin/{folder_of(place)}"


async def open_hub(*, root: Path, state: Path, cache: Path, identity: Identity, env: Mapping[str, str]) -> Hub:
    """The hub of a repository whose own settings nobody has agreed to, see `hub_of`."""
    root, state, cache = _absolute(root), _absolute(state), _real(cache)
    user = user_git(root=root, state=state, env=env, trees=(cache,))
    return await hub_of(user, state=state, cache=cache, identity=identity, env=env)


async def hub_of(user: Git, *, state: Path, cache: Path, identity: Identity, env: Mapping[str, str]) -> Hub:
    """Open the hub of the repository that `user` works in, making it where there is none; calling again is harmless.

    Raises UnfitRepositoryError where the repository has something that is not supported, and TrustError where its files
    go through a program that the user has not agreed to.
    """
    root, state, cache = user.cwd, _absolute(state), _real(cache)
    problems = await unsupported(root, env)
    if problems:
        hint = mending(problems[0]) if len(problems) == 1 else ""
        told = f"{root} cannot be worked on: {'; '.join(problems)}"
        raise UnfitRepositoryError(told, hint=hint or "shiftwork doctor")
    if stopped := await stopped_filters(user):
        raise TrustError(
            f"files of {root} go through the filter {stopped[0]!r}, a program that .git/config names and you have not "
            "agreed to",
            hint="look at it: shiftwork trust --show, then: shiftwork trust",
        )
    places = ("--path-format=absolute", "--git-common-dir", "--git-path", "objects", "--show-object-format")
    common, objects, object_format = (await user.run("rev-parse", *places)).text.splitlines()
    carried = {**await _carried(user), **await _probed(user, cache)}
    workers = max(2, min(8, 2 * (os.cpu_count() or 1)))
    placed = {"core.excludesFile": str(_excludes_file(state, root)), "checkout.workers": str(workers), **carried}
    settings, trees = {**_SETTINGS, **placed}, (root, Path(common), cache)
    git = harness_git(hub=state / "hub.git", identity=identity, env=env, settings=settings, trees=trees)
    hub = Hub(
        root=root,
        state=state,
        cache=cache,
        common=Path(common),
        objects=Path(objects),
        object_format=object_format,
        carried=_written(carried),
        identity=identity,
        git=replace(git, sealed=_sealed(state / "hub.git", object_format)),
        user=user,
        excludes=await _excludes(user, Path(common), env),
    )
    await _lay(hub)
    return hub


def _excludes_file(state: Path, root: Path) -> Path:
    """One for each checkout: what is copied into workspaces from one of them is not there in another."""
    return state / "git" / f"excludes-{hashlib.sha256(os.fsencode(root)).hexdigest()[:10]}"


def _sealed(path: Path, object_format: str) -> tuple[tuple[Path, bytes], ...]:
    config = _OWN_CONFIG_SHA256 if object_format == "sha256" else _OWN_CONFIG
    return ((path / "config", config.encode()),)


def _absolute(path: Path) -> Path:
    return path.absolute()


def _real(path: Path) -> Path:
    """Made where it is not there yet, and without links: paths in environments are compared and rewritten."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return Path(os.path.realpath(path))


async def _lay(hub: Hub) -> None:
    for place in (hub.path / "objects" / "info" / "alternates", hub.path / "refs" / "shiftwork", hub.excludes_file):
        check_unlinked(hub.state.parent, place)
    check_unlinked(hub.cache, hub.cache / "workspaces")
    hub.path.mkdir(parents=True, exist_ok=True)
    hub.exclude(())
    await _init(hub)
    write_whole(hub.path / "objects" / "info" / "alternates", os.fsencode(hub.objects) + b"\n")
    erase(hub.path / "hooks")


_STORED: Final = frozenset({"HEAD", "objects", "refs", "packed-refs"})
"""What a hub holds of work. Anything else in it would only tell git how to go about it."""


def strip(state: Path) -> None:
    """Leave of a hub that somebody else has made what it holds of work: no settings, hooks or borrowed objects."""
    hub = state / "hub.git"
    if not hub.is_dir():
        return
    packs = hub / "objects" / "pack"
    gone = [entry for entry in hub.iterdir() if entry.name not in _STORED]
    gone += [entry for entry in packs.glob("*") if entry.suffix not in {".pack", ".idx"}]
    for entry in (*gone, hub / "objects" / "info"):
        erase(entry)
    write_whole(hub / "HEAD", b"ref: refs/heads/main\n")


async def _init(hub: Hub) -> None:
    """One process at a time: git does not wait for the lock of another on the settings of a new repository."""
    async with alone(hub.state / "hub.init"):
        if not (hub.path / "HEAD").exists():
            await hub.git.run("init", "--quiet", "--bare", "--template=", f"--object-format={hub.object_format}")


async def _carried(user: Git) -> dict[str, str]:
    answer = await user.run("config", "-z", "--get-regexp", f"^{_CARRIED}$", accept=(0, 1))
    return dict(part.split("\n", 1) for part in answer.parts if "\n" in part)


async def _probed(user: Git, cache: Path) -> dict[str, str]:
    """How git finds the file system of the trees: a repository is made there for a moment, as `git init` does it."""
    git = nowhere(user)
    with tempfile.TemporaryDirectory(dir=cache, prefix="probe-") as folder:
        await git.run("init", "--quiet", "--template=", folder)
        names = "|".join(_PROBED)
        asked = ("config", "-z", "--file", f"{folder}/.git/config", "--get-regexp", rf"^core\.({names})$")
        answer = await git.run(*asked, accept=(0, 1))
    return dict(part.split("\n", 1) for part in answer.parts if "\n" in part)


def _written(settings: Mapping[str, str]) -> str:
    lines = (f"\t{name.removeprefix('core.')} = {quoted(value)}\n" for name, value in sorted(settings.items()))
    return "[core]\n" + "".join(lines)


_OWN_SCOPES: Final = frozenset({"system", "global"})
_LARGEST: Final = 1 << 20


async def _excludes(user: Git, common: Path, env: Mapping[str, str]) -> bytes:
    """The user's own ignore rules that are not in the tree: the global file's, then the repository's.

    Agents get a copy of them. So the repository may not name a file, be it by its settings or by a link.
    """
    asked = ("config", "-z", "--show-scope", "--type=path", "--get-all", "core.excludesFile")
    parts = (await user.run(*asked, accept=(0, 1, 128))).parts
    named = [path for scope, path in zip(parts[::2], parts[1::2], strict=False) if scope in _OWN_SCOPES]
    settings = Path(env.get("XDG_CONFIG_HOME") or Path(env.get("HOME", "/")) / ".config")
    everywhere = Path(named[-1]) if named else settings / "git" / "ignore"
    read = (_read(everywhere, links=True), _read(common / "info" / "exclude", links=False))
    lines = (line for content in read for line in content.splitlines())
    return b"".join(line + b"\n" for line in lines if line.strip() and not line.startswith(b"#"))


def _read(file: Path, *, links: bool) -> bytes:
    try:
        return read_bytes(file, _LARGEST, links=links)
    except OSError:
        return b""
