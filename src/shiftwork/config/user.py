"""The user's own folders for settings and consents, state, and caches: used only if no other user can write there.

A record there says what the user has agreed to and which state is theirs, and a workflow there runs without asking.
Desktop variables (`XDG_CONFIG_HOME`) may point to a folder that several users share, and `sudo` may keep the home of
another user.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shiftwork.errors import StateError

CONFIG_HOME: Final = "SHIFTWORK_CONFIG_HOME"


def user_folder(env: Mapping[str, str]) -> Path:
    """The user's workflows and consents: `$SHIFTWORK_CONFIG_HOME`, else `shiftwork` in `$XDG_CONFIG_HOME`, else in
    `~/.config`, on every system. Raises StateError if another user can write there.
    """
    if given := env.get(CONFIG_HOME):
        return own_folder(Path(given), CONFIG_HOME)
    desktop = env.get("XDG_CONFIG_HOME", "")
    above = desktop if desktop.startswith("/") else f"{env.get('HOME') or Path.home()}/.config"
    return own_folder(Path(above) / "shiftwork", CONFIG_HOME)


def own_folder(folder: Path, variable: str, *, shared: bool = False) -> Path:
    """The folder, which may not exist yet. Raises StateError if the path is relative, because it would then be inside
    the current repository, or if another user can put files there. A `shared` folder may be open to others if everybody
    can only remove their own files, as in /tmp. `variable` is what the user can set to another folder.
    """
    if not folder.is_absolute():
        raise StateError(f"{folder} is not an absolute path", hint=f"set {variable} to an absolute path")
    try:
        found = (folder.lstat(), folder.stat())
    except OSError:
        return folder
    if strangers := [item.st_uid for item in found if item.st_uid not in {os.geteuid(), 0}]:
        reason = f"{folder} belongs to another user (uid {strangers[0]}): nothing is read or kept there"
        raise StateError(reason, hint=f"see its owner: ls -ld {folder}; or set {variable} to a folder of yours")
    if _is_open(found[-1]) and not (shared and found[-1].st_mode & stat.S_ISVTX):
        reason = f"other users can write to {folder}: nothing is read or kept there"
        raise StateError(reason, hint=f"chmod go-w {folder}; or set {variable} to a folder of yours")
    return folder


def _is_open(found: os.stat_result) -> bool:
    """The user's own group often has no other members."""
    by_group = found.st_mode & stat.S_IWGRP and found.st_gid != os.getegid()
    return bool(found.st_mode & stat.S_IWOTH or by_group)
