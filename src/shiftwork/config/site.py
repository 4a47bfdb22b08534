"""The current repository, its state folder and its databases. Quick, because every command reads it first."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from shiftwork.bounded import UnreadableError, read_text
from shiftwork.config import project
from shiftwork.config.user import own_folder
from shiftwork.errors import NoRepositoryError, SettingsError, StateError, UnfitRepositoryError
from shiftwork.git_folders import Whereabouts, whereabouts
from shiftwork.records import dataclass
from shiftwork.search_paths import relative_elements, without_relative

SETTINGS_FILE: Final = "shiftwork.toml"
LEFTOVER: Final = ".shiftwork"
"""The former state folder, in the checkout. Nothing in it is read, because a clone can contain it."""
STORE_URL: Final = "SHIFTWORK_STORE_URL"
CACHE_HOME: Final = "SHIFTWORK_CACHE_HOME"
STATE_HOME: Final = "SHIFTWORK_STATE_HOME"

LARGEST: Final = 1 << 20
"""The maximum size of a settings file in bytes."""

_STORE: Final = "state.db"


def environment() -> dict[str, str]:
    """A copy of the process's environment, without relative and empty elements of search paths: the only place that
    reads it.
    """
    return without_relative(os.environ)  # noqa: TID251 - the only place that reads the environment


def left_out() -> dict[str, tuple[str, ...]]:
    """The elements of search paths that `environment` omits, by variable."""
    return relative_elements(os.environ)  # noqa: TID251 - as above


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A repository that shiftwork works on; `claimed` says that its own settings file names the database.

    `shared` is the git directory that all worktrees of the repository share, and `worktree` the name of a linked
    worktree. The `state` is in `shared`: neither a commit nor a clone can write there. Working trees are below
    `cache_home`, outside of the repository: a tool that searches parent folders for its configuration must not find the
    user's. Projects are registered below `state_home`.
    """

    root: Path
    shared: Path
    worktree: str
    cache_home: Path
    state_home: Path
    store_url: str
    claimed: bool = False

    @property
    def whereabouts(self) -> Whereabouts:
        return Whereabouts(root=self.root, shared=self.shared, worktree=self.worktree)

    @property
    def name(self) -> str:
        """The name of the project, in every worktree that of its main checkout or of its bare repository."""
        if not self.worktree:
            return self.root.name
        return self.shared.parent.name if self.shared.name == ".git" else self.shared.stem

    @property
    def state(self) -> Path:
        return self.whereabouts.state

    @property
    def ownership(self) -> project.Ownership:
        """Whether the state belongs to this user: otherwise nothing in it may be read."""
        return project.ownership(self.whereabouts, self.state_home)

    @property
    def own_store(self) -> Path:
        """The default file of the history."""
        return self.state / _STORE

    @property
    def stores_itself(self) -> bool:
        """Whether the history is in the state folder."""
        return self.store_url == f"sqlite:///{self.own_store}"

    @property
    def project(self) -> str:
        """The id of the project, which all worktrees of a repository share; created if there is none yet. Raises
        StateError if the state does not belong to this user.
        """
        return project.claimed(self.whereabouts, self.state_home)

    @property
    def known_project(self) -> str:
        """The same for commands that only read: empty if nothing can have run yet."""
        return project.known(self.whereabouts, self.state_home)

    @property
    def cache(self) -> Path:
        """The project's own folder in the cache; links are resolved, because paths are compared and rewritten."""
        return Path(os.path.realpath(self.cache_home)) / self.project


def find_site(start: Path, env: Mapping[str, str], *, reading: bool = True) -> Site:
    """Without `reading`, the database in the settings file is ignored, because the file cannot be read."""
    root = _root(start.resolve())
    place = whereabouts(root)
    project.ownership(place, state_home(env))  # raises if the state must not be trusted
    given, named = env.get(STORE_URL, ""), _store_url(root) if reading else ""
    url = given or named
    return Site(
        root=root,
        shared=place.shared,
        worktree=place.worktree,
        cache_home=cache_home(env),
        state_home=state_home(env),
        store_url=url or f"sqlite:///{place.state / _STORE}",
        claimed=bool(named and not given),
    )


def cache_home(env: Mapping[str, str]) -> Path:
    """Where working trees and environments are stored: `SHIFTWORK_CACHE_HOME`, else the user's cache folder."""
    return own_folder(_home(env, CACHE_HOME, "Caches", "XDG_CACHE_HOME", ".cache"), CACHE_HOME, shared=True)


def state_home(env: Mapping[str, str]) -> Path:
    """Where projects and their leases on this machine are registered: `SHIFTWORK_STATE_HOME`, else the user's state
    folder.
    """
    return own_folder(_home(env, STATE_HOME, "Application Support", "XDG_STATE_HOME", ".local/state"), STATE_HOME)


def _home(env: Mapping[str, str], own: str, library: str, variable: str, usual: str) -> Path:
    """The folder in the variable `own`; else the user's default: in the `library` on macOS, elsewhere the folder in the
    desktop's `variable`, or the `usual` folder.
    """
    if given := env.get(own):
        return Path(given)
    home = Path(env.get("HOME") or Path.home())
    if sys.platform == "darwin":
        return home / "Library" / library / "shiftwork"
    given = env.get(variable, "")
    return (Path(given) if given.startswith("/") else home / usual) / "shiftwork"


def _root(start: Path) -> Path:
    """The checkout that contains the folder. Its path is stored in JSON and in databases, which hold only text."""
    try:
        os.fsencode(start).decode()
    except UnicodeDecodeError:
        shown = os.fsencode(start).decode(errors="replace")
        raise UnfitRepositoryError(
            f"the path of this folder is not UTF-8: {shown}",
            hint="rename the folder, or clone the repository elsewhere",
        ) from None
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
        if (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir():
            raise _bare(folder)
    raise NoRepositoryError(
        f"{start} is not inside a git repository",
        hint="cd to a repository, or make one here: git init && git add -A && git commit --allow-empty -m start",
    )


def _bare(folder: Path) -> NoRepositoryError:
    from shlex import quote  # noqa: PLC0415 - only needed for an error

    there = quote(f"{folder.with_suffix('')}-checkout")
    message = f"{folder} is a bare repository: it has no checkout to work on"
    return NoRepositoryError(message, hint=f"git clone {quote(str(folder))} {there} && cd {there}")


def _store_url(root: Path) -> str:
    table = read_toml(root / SETTINGS_FILE).get("store")
    url = table.get("url") if isinstance(table, dict) else None
    return url if isinstance(url, str) else ""


def read_toml(path: Path) -> dict[str, Any]:
    """A settings file, or an empty table if it does not exist. Raises SettingsError if it is no regular file: a pipe
    would block, and a device never ends.
    """
    if not path.exists():
        return {}
    import tomllib  # noqa: PLC0415 - not needed without a settings file

    try:
        return tomllib.loads(read_text(path, LARGEST))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, UnreadableError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else error
        raise SettingsError(f"{path} cannot be read: {reason}", hint="correct the file; it is TOML") from error
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be read: {error.strerror}", hint=f"check its permissions: ls -l {path}"
        ) from None


def _close(folder: Path) -> None:
    """Make it accessible to its user only, even if another program created it: workspaces contain copies of the user's
    files.
    """
    if folder.stat().st_uid != os.geteuid():
        reason = f"{folder} belongs to another user: nothing is written there"
        raise StateError(reason, hint=f"see its owner: ls -ld {folder}; or set {CACHE_HOME} to your own folder")
    folder.chmod(0o700)


def open_state(site: Site) -> None:
    """Create the state folder and the cache folder of the project, accessible to its user only. Raises StateError if
    the state does not belong to this user, or contains a link: the harness never creates links there.
    """
    site.cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    _close(site.cache)
    site.state.chmod(0o700)
    with os.scandir(site.state) as entries:
        if link := next((entry.path for entry in entries if entry.is_symlink()), ""):
            reason = f"{link} is a link, and shiftwork never creates links there: it is not followed"
            raise StateError(reason, hint=f"see where it leads: ls -l {link}; then remove it")
