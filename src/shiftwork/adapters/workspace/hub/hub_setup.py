"""Opens the hub, and creates it if it does not exist."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git.git import Git, Identity, harness_git, quoted
from shiftwork.adapters.workspace.git.user_git import nowhere, user_git
from shiftwork.adapters.workspace.hub.hub import Hub, excludes_file_of
from shiftwork.adapters.workspace.hub.unsupported_features import fixing_command, stopped_filters, unsupported
from shiftwork.adapters.workspace.tree.leased_numbers import alone
from shiftwork.adapters.workspace.tree.untrusted_files import check_unlinked, erase, write_whole
from shiftwork.bounded import read_bytes
from shiftwork.errors import TrustError, UnfitRepositoryError
from shiftwork.git_folders import Whereabouts
from shiftwork.records import replace

_PLACES: Final = 3
"""How many lines git answers about the places of a repository."""

_CARRIED: Final = "core.(autocrlf|eol)"
"""The user's settings that determine file content: trees of the harness must read like theirs."""


_PROBED: Final = ("filemode", "ignorecase", "symlinks", "precomposeunicode")
"""Settings that depend on the file system: the trees may be on another file system than the user's repository."""


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
"""All settings of the harness's git, besides the user's settings that are carried over."""


_OWN_CONFIG: Final = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"


_OWN_CONFIG_SHA256: Final = (
    "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
)
"""The hub's own file, which git always reads. It is sealed, because git would run a filter that is added there."""


_FORMATS: Final = {_OWN_CONFIG.encode(): "sha1", _OWN_CONFIG_SHA256.encode(): "sha256"}
_CONFIG_BYTES: Final = 10_000


async def open_hub(*, root: Path, state: Path, cache: Path, identity: Identity, env: Mapping[str, str]) -> Hub:
    """The hub of a repository, without agreement to its own settings; see `hub_of`."""
    root, state, cache = _absolute(root), _absolute(state), _real(cache)
    user = user_git(root=root, state=state, env=env, trees=(cache,))
    return await hub_of(user, state=state, cache=cache, identity=identity, env=env)


async def hub_of(user: Git, *, state: Path, cache: Path, identity: Identity, env: Mapping[str, str]) -> Hub:
    """Opens the hub of the repository that `user` works in, and creates it if needed; calling it again is harmless.

    Raises UnfitRepositoryError if the repository uses an unsupported feature, and TrustError if its files go through a
    program that the user has not agreed to.
    """
    root, state, cache = user.cwd, _absolute(state), _real(cache)
    problems = await unsupported(root, env)
    if problems:
        hint = fixing_command(problems[0]) if len(problems) == 1 else ""
        message = f"{root} cannot be worked on: {'; '.join(problems)}"
        raise UnfitRepositoryError(message, hint=hint or "shiftwork doctor")
    if stopped := await stopped_filters(user):
        raise TrustError(
            f"files of {root} go through the filter {stopped[0]!r}, a program that .git/config names and you have not "
            "agreed to",
            hint="look at it: shiftwork trust --show, then: shiftwork trust",
        )
    places = ("--path-format=absolute", "--git-common-dir", "--git-path", "objects", "--show-object-format")
    answer = (await user.run("rev-parse", *places)).text.splitlines()
    if len(answer) != _PLACES:
        message = f"the path of {str(root)!r} contains a line break, which git cannot report"
        raise UnfitRepositoryError(message, hint="give the folder another name")
    common, objects, object_format = answer
    carried = {**await _carried(user), **await _probed(user, cache)}
    workers = max(2, min(8, 2 * (os.cpu_count() or 1)))
    placed = {"core.excludesFile": str(excludes_file_of(state, root)), "checkout.workers": str(workers), **carried}
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


def hub_as_it_is(user: Git, *, state: Path, cache: Path, identity: Identity, env: Mapping[str, str]) -> Hub | None:
    """The hub for reading commits: runs no git, and neither checks the repository nor probes its file systems, so no
    tree can be made from it. None if there is no hub, or `hub_of` would change its settings or what it borrows.
    """
    common = Path(user.env["GIT_COMMON_DIR"])
    cache = Path(os.path.realpath(cache))
    place = Whereabouts(root=user.cwd, shared=common, worktree="")
    found = git_of_hub(place, state=state, cache=cache, identity=identity, env=env)
    if found is None:
        return None
    git, object_format = found
    return Hub(
        root=user.cwd,
        state=state,
        cache=cache,
        common=common,
        objects=common / "objects",
        object_format=object_format,
        carried="",
        identity=identity,
        git=git,
        user=user,
        excludes=b"",
    )


def git_of_hub(
    place: Whereabouts, *, state: Path, cache: Path, identity: Identity, env: Mapping[str, str]
) -> tuple[Git, str] | None:
    """Git on the hub as it is, which has all commits of the user's repository, and the format of its objects: for
    questions that one git can answer. None as for `hub_as_it_is`.
    """
    hub, objects = state / "hub.git", place.shared / "objects"
    alternates = hub / "objects" / "info" / "alternates"
    check_unlinked(state.parent, alternates)
    try:
        object_format = _FORMATS.get(read_bytes(hub / "config", _CONFIG_BYTES))
        borrows = read_bytes(alternates, _CONFIG_BYTES) == os.fsencode(objects) + b"\n"
    except (OSError, ValueError):
        return None
    if object_format is None or not borrows:
        return None
    git = harness_git(hub=hub, identity=identity, env=env, settings=_SETTINGS, trees=(place.root, place.shared, cache))
    return replace(git, sealed=_sealed(hub, object_format)), object_format


def _sealed(path: Path, object_format: str) -> tuple[tuple[Path, bytes], ...]:
    config = _OWN_CONFIG_SHA256 if object_format == "sha256" else _OWN_CONFIG
    return ((path / "config", config.encode()),)


def _absolute(path: Path) -> Path:
    return path.absolute()


def _real(path: Path) -> Path:
    """Creates the folder if needed and resolves links, because paths in environments are compared and rewritten."""
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
"""The parts of a hub with work. Everything else in it only configures git."""


def strip(state: Path) -> None:
    """Reduces a hub from another author to its work: removes settings, hooks and borrowed objects."""
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
    """One process at a time: git does not wait for another process's lock on the settings of a new repository."""
    async with alone(hub.state / "hub.init"):
        if not (hub.path / "HEAD").exists():
            await hub.git.run("init", "--quiet", "--bare", "--template=", f"--object-format={hub.object_format}")


async def _carried(user: Git) -> dict[str, str]:
    answer = await user.run("config", "-z", "--get-regexp", f"^{_CARRIED}$", accept=(0, 1))
    return dict(part.split("\n", 1) for part in answer.parts if "\n" in part)


async def _probed(user: Git, cache: Path) -> dict[str, str]:
    """What git detects about the file system of the trees: creates a temporary repository there with `git init`."""
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
    """The user's own ignore rules outside of the tree: first the global file's, then the repository's.

    Agents get a copy of them. So the repository must not name a file, neither in its settings nor by a link.
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
