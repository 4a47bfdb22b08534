"""The folder of a repository in which a gate runs, such as a package of a monorepo."""

import shlex
from typing import Final

from shiftwork.regexes import regex

_SEVERAL: Final = regex(r"[\n;&|#]")
"""What may separate or hide commands, so that a plain `cd` before them would not count for all."""


def in_folder(cwd: str, command: str) -> str:
    """The command as it runs from the root of the tree. The folder is part of it, because the user who agrees to the
    command, or reads it in a certificate, must see where it runs.
    """
    if not cwd or not command:
        return command
    body = f"{{ {command}\n}}" if _SEVERAL.search(command) else command
    return f"cd {shlex.quote(cwd)} && {body}"


def folder_fault(cwd: str) -> str:
    """Why the name cannot be that of a folder in the repository; empty if it can. Links are followed when the gate
    runs.
    """
    if not cwd:
        return ""
    parts = cwd.split("/")
    if cwd.startswith(("/", "~", "-")) or "\\" in cwd or not cwd.isprintable():
        return f"must be a path below the root of the repository, such as packages/api, not {cwd!r}"
    return "must not lead out of the repository" if ".." in parts else ""
