"""Folders of the user's own, for settings and consents, state, and caches: used only where nobody else can write.

A record there says what the user has agreed to and which state is theirs, and a workflow there runs without a question.
Variables of the desktop (`XDG_CONFIG_HOME`) may lead to a folder that several users share, and `sudo` may keep the home
of another user.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shiftwork.errors import StateError

CONFIG_HOME: Final = "SHIFTWORK_CONFIG_HOME"


def user_folder(env: Mapping[str, str]) -> Path:
    """Workflows of the user's, and what they have trusted: `$SHIFTWORK_CONFIG_HOME`, else `shiftwork` in
    `$XDG_CONFIG_HOME`, else in `~/.config`, on every system. Raises StateError where somebody else can write there.
    """
    if given := env.get(CONFIG_HOME):
        return own_folder(Path(given), CONFIG_HOME)
    desktop = env.get("XDG_CONFIG_HOME", "")
    above = desktop if desktop.startswith("/") else f"{env.get('HOME') or Path.home()}/.config"
    return own_folder(Path(above) / "shiftwork", CONFIG_HOME)


def own_folder(folder: Path, variable: str, *, shared: bool = False) -> Path:
    """The folder, which need not be there yet. Raises StateError where it is relative, for that is a folder of whatever
    repository a command is typed in; or where somebody else can put files there. A `shared` one may be open to others
    if everybody can remove only what is theirs, as in /tmp. `variable` is what the user can set to another folder.
    """
    if not folder.is_absolute():
        raise StateError(f"{folder} is no absolute path", hint=f"set {variable} to a folder that is written out")
    try:
        found = (folder.lstat(), folder.stat())
    except OSError:
        return folder
    if strangers := [one.st_uid for one in found if one.st_uid not in {os.geteuid(), 0}]:
        reason = f"{folder} belongs to another user (uid {strangers[0]}): nothing is read or kept there"
        raise StateError(reason, hint=f"see whose it is: ls -ld {folder}; or set {variable} to a folder of yours")
    if _is_open(found[-1]) and not (shared and found[-1].st_mode & stat.S_ISVTX):
        reason = f"other users can write to {folder}: nothing is read or kept there"
        raise StateError(reason, hint=f"chmod go-w {folder}; or set {variable} to a folder of yours")
    return folder


def _is_open(found: os.stat_result) -> bool:
    """The user's own group is often theirs alone."""
    by_group = found.st_mode & stat.S_IWGRP and found.st_gid != os.getegid()
    return bool(found.st_mode & stat.S_IWOTH or by_group)
