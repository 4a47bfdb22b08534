"""Package names in Python requirements."""

import re
from collections.abc import Iterable
from typing import Final

from shiftwork.config.detection.folder import Folder
from shiftwork.regexes import regex

_NAME: Final = regex(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_INCLUDED: Final = regex(r"^[ \t]*(?:-r|--requirement)[ =]*(\S+)", re.MULTILINE)
_MOST: Final = 20
_WITH_PLUGINS: Final = ("pytest", "flake8")
"""Tools that are installed by their plugins: `pytest-cov` installs pytest."""


def package(requirement: str) -> str:
    """The normalized name of the required package."""
    named = _NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", named[1]).lower() if named else ""


def bring(requirements: Iterable[str], tool: str) -> bool:
    """Whether installing these installs the tool."""
    names = {package(requirement) for requirement in requirements}
    return tool in names or (tool in _WITH_PLUGINS and any(name.startswith(f"{tool}-") for name in names))


def listed(folder: Folder, file: str) -> list[str]:
    """The requirements in a file, and in the files that it includes."""
    text = folder.text(file)
    place = file.rpartition("/")[0]
    included = list(dict.fromkeys(f"{place}/{match}".lstrip("/") for match in _INCLUDED.findall(text)))[:_MOST]
    own = text.splitlines()
    return own + [line for name in included if name != file for line in folder.text(name).splitlines()]
