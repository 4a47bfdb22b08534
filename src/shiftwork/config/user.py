"""The user's own folder of settings: workflows of theirs, and what they have trusted."""

from collections.abc import Mapping
from pathlib import Path


def user_folder(env: Mapping[str, str]) -> Path:
    """`$SHIFTWORK_CONFIG_HOME`, else `shiftwork` in `$XDG_CONFIG_HOME`, else in `~/.config`, on every system."""
    if env.get("SHIFTWORK_CONFIG_HOME"):
        return Path(env["SHIFTWORK_CONFIG_HOME"])
    above = env.get("XDG_CONFIG_HOME") or f"{env.get('HOME') or Path.home()}/.config"
    return Path(above) / "shiftwork"
