"""Folders of a test run's own: what it starts keeps working trees, projects and consents where no user keeps theirs.

`conftest.py` uses them for all tests, and a program that starts the product begins with `with use_own_folders():`.
"""

import os
from tempfile import TemporaryDirectory
from typing import Final

from shiftwork.config.site import CACHE_HOME, STATE_HOME
from shiftwork.config.user import CONFIG_HOME

HOMES: Final = {CACHE_HOME: "cache", STATE_HOME: "state", CONFIG_HOME: "config"}
"""The variables that name them, and their names: short, because paths of sockets may not be long."""


def use_own_folders() -> TemporaryDirectory[str]:
    """From now on, this process and what it starts use these folders. They are gone when it is left."""
    folders = TemporaryDirectory(prefix="shiftwork-", ignore_cleanup_errors=True)
    for variable, name in HOMES.items():
        os.environ[variable] = f"{folders.name}/{name}"  # noqa: TID251 - what is started inherits it
    return folders
