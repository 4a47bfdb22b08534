"""Names of packages in requirements as Python writes them."""

import re
from collections.abc import Iterable
from typing import Final

from shiftwork.config.detection.folder import Folder

_NAME: Final = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_INCLUDED: Final = re.compile(r"^[ \t]*(?:-r|--requirement)[ =]*(\S+)", re.MULTILINE)
_MOST: Final = 20
_WITH_PLUGINS: Final = ("pytest", "flake8")
"""Tools whose plugins bring them along: `pytest-cov` installs pytest."""


def package(requirement: str) -> str:
    """The name of what is required, as all its spellings are compared."""
    named = _NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", named[1]).lower() if named else ""


def bring(requirements: Iterable[str], tool: str) -> bool:
    """Whether installing these installs the tool."""
    names = {package(one) for one in requirements}
    return tool in names or (tool in _WITH_PLUGINS and any(name.startswith(f"{tool}-") for name in names))


def listed(folder: Folder, file: str) -> list[str]:
    """The requirements in a file, and in those that it includes."""
    text = folder.text(file)
    place = file.rpartition("/")[0]
    included = list(dict.fromkeys(f"{place}/{one}".lstrip("/") for one in _INCLUDED.findall(text)))[:_MOST]
    own = text.splitlines()
    return own + [line for one in included if one != file for line in folder.text(one).splitlines()]
